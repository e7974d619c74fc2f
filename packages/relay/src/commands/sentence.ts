import { isRelayError } from '../errors/relay-error.js';

/** What is wrong with something typed, as a sentence; `undefined` when nothing is. */
export function problemOfError(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (isRelayError(error)) return error.text;
    throw error;
  }
}
