import { ERROR_CODES, type ErrorCode } from './codes.js';

/** Brand shared by every copy of this package, so that `isFlowsError` works across duplicates. */
const BRAND = Symbol.for('@relayflows/sdk:flows-error@1');

/** What backs a failure up: where it was seen and what was observed there. Every member is optional and JSON. */
export interface ErrorEvidence {
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
  readonly command?: string;
  readonly cwd?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdoutTail?: string;
  readonly stderrTail?: string;
  /** Structured extras: both sides of a mismatch, the owner of a claim, a list of offending keys. */
  readonly [extra: string]: unknown;
}

export interface FlowsErrorOptions {
  /** One sentence on what to do about it. */
  readonly hint?: string;
  readonly evidence?: ErrorEvidence;
  /** Set when a step or a run ended with this error. */
  readonly completionReason?: string;
  readonly runId?: string;
  readonly stepId?: string;
  readonly cause?: unknown;
}

/**
 * Every refusal and failure of the runtime: a stable `code`, one sentence on what happened (`text`), one on what to do (`hint`), and evidence.
 *
 * `message` is `<code>: <text>`, the form a flow body sees.
 */
export class FlowsError extends Error {
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint?: string;
  readonly evidence: ErrorEvidence;
  readonly completionReason?: string;
  readonly runId?: string;
  readonly stepId?: string;

  constructor(code: ErrorCode, text: string, options: FlowsErrorOptions = {}) {
    super(`${code}: ${text}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FlowsError';
    this.code = code;
    this.text = text;
    this.evidence = options.evidence ?? {};
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.completionReason !== undefined) this.completionReason = options.completionReason;
    if (options.runId !== undefined) this.runId = options.runId;
    if (options.stepId !== undefined) this.stepId = options.stepId;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The process exit status that a command ending with this error uses: 1 failed, 2 refused before anything was journaled, 3 parked. */
  get exitCode(): 1 | 2 | 3 {
    return ERROR_CODES[this.code].exit;
  }

  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.text,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.completionReason === undefined ? {} : { completionReason: this.completionReason }),
      ...(this.runId === undefined ? {} : { runId: this.runId }),
      ...(this.stepId === undefined ? {} : { stepId: this.stepId }),
      ...(Object.keys(this.evidence).length === 0 ? {} : { evidence: this.evidence }),
    };
  }
}

/** Says which run an error of ours happened in, unless that is known. Anything else comes back as it is. */
export function attribute(error: unknown, runId: string): unknown {
  return isFlowsError(error) && error.runId === undefined ? Object.assign(error, { runId }) : error;
}

/** Whether a value is a {@link FlowsError}, of this copy of the package or of another one. */
export function isFlowsError(value: unknown): value is FlowsError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
