import type { Ctx } from '@relayflows/surface';
import { planReviewTask, planTask } from '../prompts.js';
import { tell } from '../steps.js';
import type { Work } from '../work.js';

/** Lets one agent plan and another correct the plan. Names the file to follow; empty when there is none. */
export async function plan(f: Ctx, { ticket }: Work): Promise<string> {
  await tell(f, 'planner', planTask(ticket), 15);
  if (!(await exists(f, 'plan.md'))) return '';
  await tell(f, 'plan-reviewer', planReviewTask(ticket), 10);
  return (await exists(f, 'reviewed-plan.md')) ? 'reviewed-plan.md' : 'plan.md';
}

async function exists(f: Ctx, file: string): Promise<boolean> {
  return (await f.run('test -s "$FILE"', { env: { FILE: file }, onNonZero: 'record' })).ok;
}
