import type { Ctx } from '@relayflows/surface';
import { minutesFor } from '../account.js';
import { implementTask } from '../prompts.js';
import { tell, type Told } from '../steps.js';
import { MINUTES, PUBLISHING, REVIEWING } from '../time-plan.js';
import type { Work } from '../work.js';

/** Lets the implementer work on the branch. */
export async function implement(f: Ctx, work: Work, plan: string): Promise<Told> {
  f.phase('implementing');
  const kept = MINUTES.checkFloor + PUBLISHING + REVIEWING;
  const minutes = minutesFor(work, MINUTES.implement, kept);
  const told = await tell(f, work, 'implementer', implementTask(work.ticket, plan), minutes);
  work.stopped = told.stopped;
  return told;
}
