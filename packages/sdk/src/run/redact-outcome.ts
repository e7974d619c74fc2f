import type { Outcome } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import type { Redactor } from '../ports/redactor.js';

/** An outcome as it may be recorded and shown. */
export function redactOutcome(redact: Redactor, outcome: Outcome): Outcome {
  if (!outcome.ok) return { ok: false, error: redact.json(outcome.error as unknown as JsonValue) as unknown as typeof outcome.error };
  return outcome.value === undefined ? outcome : { ok: true, value: redact.json(outcome.value) };
}
