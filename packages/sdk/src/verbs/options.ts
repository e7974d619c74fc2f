import { FlowsError } from '../errors/flows-error.js';

/** A call with an option that the verb does not accept. */
export function invalidOption(verb: string, what: string, hint: string): FlowsError {
  return new FlowsError('options_invalid', `${verb}: ${what}.`, { hint });
}

/** Refuses options the verb does not know, and options that are no plain object. */
export function assertKnownOptions(verb: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw invalidOption(verb, 'the options are not an object', `Known options: ${known.join(', ')}.`);
  const unknown = Object.keys(options).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw invalidOption(verb, `unknown ${unknown.length === 1 ? 'option' : 'options'} ${unknown.join(', ')}`, `Known options: ${known.join(', ')}.`);
}

/** One of a few words, or the default. */
export function oneOf<T extends string>(verb: string, option: string, value: unknown, allowed: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  if (typeof value === 'string' && (allowed as readonly string[]).includes(value)) return value as T;
  throw invalidOption(verb, `${option} is ${JSON.stringify(value) ?? `a ${typeof value}`}`, `Use one of ${allowed.map((word) => `'${word}'`).join(', ')}.`);
}

/** The input of a child or a hook as JSON. Throws `code` when it has none. */
export function jsonInput(args: { readonly verb: string; readonly value: unknown; readonly code: 'dispatch_invalid' | 'options_invalid' }): import('../ports/json.js').JsonValue {
  let text: string | undefined;
  try {
    text = JSON.stringify(args.value ?? null);
  } catch (error) {
    throw new FlowsError(args.code, `${args.verb}: the input is not JSON: ${error instanceof Error ? error.message : String(error)}.`, { hint: 'Pass plain data: no cycles, no BigInt.' });
  }
  if (text === undefined) throw new FlowsError(args.code, `${args.verb}: a ${typeof args.value} is not JSON.`, { hint: 'Pass plain data.' });
  return JSON.parse(text) as import('../ports/json.js').JsonValue;
}
