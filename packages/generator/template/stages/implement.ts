import type { Ctx } from '@relayflows/surface';
import { implementTask } from '../prompts.js';
import { tell, type Told } from '../steps.js';
import type { Work } from '../work.js';

/** Lets the implementer work on the branch. */
export async function implement(f: Ctx, work: Work, plan: string): Promise<Told> {
  const told = await tell(f, 'implementer', implementTask(work.ticket, plan), 60);
  work.stopped = told.stopped;
  return told;
}
