import { ERROR_CODES, type ErrorCode } from '../errors/codes.js';
import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import type { StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';

/** An error as data for the journal. Anything that is no `FlowsError` is a bug of a verb or a port and reads `worker_error`. */
export function failureOf(error: unknown): StepFailure {
  if (!isFlowsError(error)) {
    return { code: 'worker_error', text: error instanceof Error ? `${error.name}: ${error.message}` : String(error), completionReason: 'worker_error' };
  }
  return {
    code: error.code,
    text: error.text,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.completionReason === undefined ? {} : { completionReason: error.completionReason }),
    ...(Object.keys(error.evidence).length === 0 ? {} : { evidence: jsonOf(error.evidence) }),
  };
}

/** The error that a body sees for a recorded failure. */
export function errorOf(failure: StepFailure, at: { readonly runId?: string; readonly stepId?: string }): FlowsError {
  // A journal of a newer patch release may hold a code this one does not list; the body still gets it.
  const code = (failure.code in ERROR_CODES ? failure.code : 'worker_error') as ErrorCode;
  return new FlowsError(code, failure.text, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    ...(failure.completionReason === undefined ? {} : { completionReason: failure.completionReason }),
    ...(isRecord(failure.evidence) ? { evidence: failure.evidence } : {}),
    ...at,
  });
}

/** What the runtime itself ran into: anything that is no `FlowsError` is a bug. */
export function internalFailure(error: unknown): FlowsError {
  if (isFlowsError(error)) return error;
  return new FlowsError('journal_protocol_violation', `The run could not go on: ${String(error)}`, { hint: 'This is a bug; please report it. The run can be resumed.', cause: error });
}

/** JSON as the journal keeps it: what has no JSON form is left out, and what cannot be converted becomes its text. */
export function jsonOf(value: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue;
  } catch (error) {
    return String(error);
  }
}

function isRecord(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
