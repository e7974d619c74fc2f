import { RELAY_ERROR_CODES, type ErrorKind, type RelayErrorCode } from './codes.js';

/** Brand shared by every copy of this package. */
const BRAND = Symbol.for('@relayflows/relay:relay-error@1');

export interface RelayErrorOptions {
  /** One sentence on what to do about it. */
  readonly hint?: string;
  /** Where it was seen. JSON, without arguments of commands, prompts, environment values or credentials. */
  readonly evidence?: Readonly<Record<string, unknown>>;
  /** When the other side said so: not before so many milliseconds may it be asked again. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Every refusal and failure of relay-flow: a stable `code`, what the engine does about it (`kind`), what happened, what to do. */
export class RelayError extends Error {
  readonly code: RelayErrorCode;
  readonly kind: ErrorKind;
  /** One sentence on what happened. */
  readonly text: string;
  readonly hint?: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;

  constructor(code: RelayErrorCode, text: string, options: RelayErrorOptions = {}) {
    super(text, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RelayError';
    this.code = code;
    this.kind = RELAY_ERROR_CODES[code].kind;
    this.text = text;
    this.evidence = options.evidence ?? {};
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    Object.defineProperty(this, BRAND, { value: true });
  }

  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.text,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(Object.keys(this.evidence).length === 0 ? {} : { evidence: this.evidence }),
    };
  }
}

export function isRelayError(value: unknown): value is RelayError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
