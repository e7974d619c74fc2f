import type { Ctx } from '@relayflows/surface';
import { ask, tell } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Lets one agent plan and another correct the plan. Names the file to follow; empty when there is none. */
export async function plan(f: Ctx, work: Work): Promise<string> {
  await tell(f, work, 'planner', MINUTES.plan);
  if (!(await ask(f, work, 'test -s plan.md')).ok) return '';
  await tell(f, work, 'plan-reviewer', MINUTES.planReview);
  return (await ask(f, work, 'test -s reviewed-plan.md')).ok ? 'reviewed-plan.md' : 'plan.md';
}
