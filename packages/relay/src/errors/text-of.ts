import { isFlowsError } from '@relayflows/sdk';
import { isRelayError } from './relay-error.js';

/**
 * What may be said about anything that was thrown, where people read it: the text of an error of ours, and of a failure of the machine, which names a file at most.
 * Of all others only the kind, because their texts hold whatever was at hand: arguments of a command, its variables, a prompt.
 */
export function textOf(error: unknown): string {
  if (isRelayError(error) || isFlowsError(error)) return error.text;
  if (!(error instanceof Error)) return 'It failed in a way that nobody foresaw.';
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && typeof syscall === 'string') return error.message;
  return `It failed in a way that nobody foresaw (${typeof code === 'string' ? `${error.name} ${code}` : error.name}).`;
}
