import { isRelayError } from '../../errors/relay-error.js';
import type { OrcaAnswer } from './call.js';

/**
 * Makes something with a call that may fail without saying whether it had its effect. After an unclear failure `look` decides: what it finds is the answer.
 * Otherwise the failure is thrown.
 */
export async function makeOrFind<Made>(args: { readonly make: () => Promise<Made>; readonly look: () => Promise<Made | undefined> }): Promise<Made> {
  try {
    return await args.make();
  } catch (error) {
    if (!isRelayError(error) || (error.code !== 'runner_unavailable' && error.code !== 'runner_malformed')) throw error;
    const found = await args.look().catch(() => undefined);
    if (found === undefined) throw error;
    return found;
  }
}

/** The application itself failed in a call, which may have had its effect. */
export function isUnclear(answer: OrcaAnswer): boolean {
  return !answer.ok && answer.code === 'runtime_error';
}
