import type { Ctx } from '@relayflows/surface';
import { FINISH } from './shell.js';
import { answerOf } from './steps.js';
import type { Work } from './work.js';

/** Ends the run without a change request, and says why where the person who reads the log looks. */
export async function stop(f: Ctx, reason: string, work?: Work): Promise<void> {
  if (work !== undefined) await answerOf(f, work, FINISH);
  console.error(`relayflow: ${reason}`);
  f.done('needs_human', { detail: reason });
}
