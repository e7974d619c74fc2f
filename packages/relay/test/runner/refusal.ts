import { expect } from 'vitest';
import { isRelayError, type RelayError } from '../../src/errors/relay-error.js';

/** The error that a call is refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<RelayError> {
  try {
    await call;
  } catch (error) {
    if (isRelayError(error)) return error;
    throw error;
  }
  return expect.fail('It was not refused.');
}
