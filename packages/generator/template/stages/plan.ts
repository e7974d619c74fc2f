import { ask, tell } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Lets one agent plan and another correct the plan. Names the file to follow, if any. */
export async function plan(work: Work) {
  await tell(work, 'planner', MINUTES.plan);
  if (!(await ask(work, 'test -s plan.md')).ok) return '';
  await tell(work, 'plan-reviewer', MINUTES.planReview);
  return (await ask(work, 'test -s reviewed-plan.md')).ok ? 'reviewed-plan.md' : 'plan.md';
}
