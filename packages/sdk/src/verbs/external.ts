import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import type { Outcome, StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { failureOf, jsonOf } from '../run/failure.js';
import type { ExternalAttempt, ExternalOptions } from '../run/host-flow.js';
import type { AttemptContext, AttemptResult, StepSpec } from '../run/step-spec.js';
import { assertKnownOptions, invalidOption, jsonInput } from './options.js';

/** `f.external` of a host's flow: something that the host does to the world. Throws at the call. */
export function lowerExternal(name: string, options: ExternalOptions, effect: (attempt: ExternalAttempt) => Promise<unknown>): StepSpec {
  if (typeof name !== 'string' || name.trim() === '') throw invalidOption('f.external', 'the name is empty', "Name what is done: f.external('create-issue', { key }, effect).");
  assertKnownOptions('f.external', options, ['key', 'input', 'retry']);
  const { key, input, retry } = options;
  if (typeof key !== 'string' || key === '') throw invalidOption('f.external', 'the key is empty', 'Give a key that is the same whenever this effect is repeated, and no other effect has.');
  if (typeof effect !== 'function') throw invalidOption('f.external', 'the effect is not a function', 'Pass what is to be done as the third argument.');
  const request = { key, ...(input === undefined ? {} : { input: jsonInput({ verb: 'f.external', value: input, code: 'options_invalid' }) }) };
  return {
    kind: 'external',
    label: name,
    request,
    action: { mode: 'effect', spawns: false, ...(retry === undefined ? {} : { retry }), execute: (attempt) => execute({ name, key, effect }, attempt) },
  };
}

async function execute({ name, key, effect }: { readonly name: string; readonly key: string; readonly effect: (attempt: ExternalAttempt) => Promise<unknown> }, attempt: AttemptContext): Promise<AttemptResult> {
  const previous = attempt.previous?.extra;
  // An attempt that records nothing must not make the next one forget what is known.
  if (previous !== undefined) attempt.progress({ extra: previous });
  try {
    const value = await effect({
      key,
      attempt: attempt.attempt,
      resumed: attempt.resumed,
      signal: attempt.signal,
      clock: attempt.clock,
      ...(attempt.previousFailure === undefined ? {} : { previousFailure: attempt.previousFailure }),
      ...(previous === undefined ? {} : { previous }),
      record: (recorded) => attempt.progress({ extra: attempt.redact.json(jsonInput({ verb: 'f.external', value: recorded, code: 'options_invalid' })) }),
    });
    return { outcome: outcomeOf(name, value) };
  } catch (error) {
    return { outcome: { ok: false, error: isFlowsError(error) ? failureOf(error) : externalFailure(error) } };
  }
}

/** The value as JSON, so that the body gets the same now and from the journal. */
function outcomeOf(name: string, value: unknown): Outcome {
  if (value === undefined) return { ok: true };
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch {
    // What follows says it.
  }
  throw new FlowsError('external_failed', `${name} took effect, but its value is not JSON.`, { hint: 'Return plain data: no functions, no cycles, no BigInt.' });
}

/** What of a host's error tells the body, and whoever decides about another attempt, what to do. */
function externalFailure(error: unknown): StepFailure {
  const { kind, code, retryAfterMs, hint, evidence } = (typeof error === 'object' && error !== null ? error : {}) as Partial<Record<string, unknown>>;
  const kept = {
    ...(typeof evidence === 'object' && evidence !== null && !Array.isArray(evidence) ? (jsonOf(evidence) as { readonly [name: string]: JsonValue }) : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  };
  return {
    code: 'external_failed',
    text: error instanceof Error ? error.message : String(error),
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(Object.keys(kept).length === 0 ? {} : { evidence: kept }),
  };
}
