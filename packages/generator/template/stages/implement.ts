import type { Ctx } from '@relayflows/surface';
import { minutesFor } from '../account.js';
import { tell, type Told } from '../steps.js';
import { MINUTES, PUBLISHING, REVIEWING } from '../time-plan.js';
import type { Work } from '../work.js';

/** Lets the implementer work on the branch. */
export async function implement(f: Ctx, work: Work, plan: string): Promise<Told> {
  f.phase('implementing');
  const minutes = minutesFor(work, MINUTES.implement, MINUTES.checkFloor + PUBLISHING + REVIEWING);
  const follow = plan && `\nFollow the plan in ${plan}, unless the code proves it wrong.`;
  const told = await tell(f, work, 'implementer', minutes, { plan: follow });
  work.stopped = told.stopped;
  return told;
}
