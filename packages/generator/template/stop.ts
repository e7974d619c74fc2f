import { FINISH } from './shell.js';
import { answerOf } from './steps.js';
import type { Work } from './work.js';

/** Ends the run without a change request, and says why. */
export async function stop(work: Work, reason: string, begun = true) {
  if (begun) await answerOf(work, FINISH);
  console.error(`relayflow: ${reason}`);
  work.f.done('needs_human', { detail: reason });
}
