import { setTimeout as sleep } from 'node:timers/promises';
import { isRelayError } from '../../errors/relay-error.js';
import type { Io } from '../io.js';

const AGAIN_MS = 500;

/**
 * Asks a server again and again while there is none, and says once that it is waited for. What the server refuses is thrown as it is, also that its socket is
 * somebody else's; once the signal is given, anything is.
 */
export async function untilAnswered<Answer>({ ask, io, signal }: { readonly ask: () => Promise<Answer>; readonly io: Pick<Io, 'err'>; readonly signal: AbortSignal }): Promise<Answer> {
  for (let told = false; ; told = true) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      if (!told) io.err.write('The server does not answer any more. This goes on when it is back; Ctrl-C ends it.\n');
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}

function isAway(error: unknown): boolean {
  return isRelayError(error) && error.code === 'server_unreachable' && error.evidence['errno'] !== 'EACCES' && error.evidence['errno'] !== 'EPERM';
}
