import type { JsonValue } from '../../ports/json.js';

export type PredicateVerdict = { readonly passed: true } | { readonly passed: false; readonly problem: string };

/** Asks an author's predicate. It passes with exactly `true`; it gets a copy, so that it cannot change what the body receives. */
export function askPredicate(check: (value: never) => unknown, value: JsonValue): PredicateVerdict {
  let answer: unknown;
  try {
    answer = check(structuredClone(value) as never);
  } catch (error) {
    return { passed: false, problem: `it threw: ${messageOf(error)}` };
  }
  if (answer === true) return { passed: true };
  if (!isThenable(answer)) return { passed: false, problem: `it returned ${describe(answer)}` };
  // Nobody waits for it, and its rejection must not end the process.
  answer.then(undefined, () => undefined);
  return { passed: false, problem: 'it returned a promise, and a gate must answer at once' };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'something that has no text';
  }
}

function describe(answer: unknown): string {
  if (answer === false) return 'false';
  if (answer === null || answer === undefined) return `${String(answer)}, not true`;
  return `${typeof answer === 'object' ? 'an object' : `a ${typeof answer}`}, not true`;
}
