import { FlowsError } from '../errors/flows-error.js';
import type { JsonValue } from '../ports/json.js';
import { jsonOf } from './failure.js';

/** What a host hands over, as JSON; nothing is `null`. Throws `input_invalid`. */
export function inputOf(input: unknown, what = 'The input'): JsonValue {
  if (input === undefined) return null;
  let text: string | undefined;
  try {
    text = JSON.stringify(input);
  } catch (cause) {
    throw new FlowsError('input_invalid', `${what} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, { hint: 'Pass plain data: no cycles, no BigInt.', cause });
  }
  if (text === undefined) throw new FlowsError('input_invalid', `${what} is a ${typeof input}, which is not JSON.`, { hint: 'Pass plain data.' });
  return jsonOf(input);
}
