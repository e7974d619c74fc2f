import { minutesFor } from '../account.js';
import { tell } from '../steps.js';
import { ENDING, MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Lets the implementer work on the branch. */
export async function implement(work: Work, plan: string) {
  work.f.phase('implementing');
  const minutes = minutesFor(work, MINUTES.implement, MINUTES.checkFloor + ENDING);
  const follow = plan && `\nFollow the plan in ${plan}, unless the code proves it wrong.`;
  work.told = await tell(work, 'implementer', minutes, { plan: follow });
}
