import type { Ctx } from '@relayflows/surface';
import { EXCLUDE_WORKING_FILES, START } from '../shell.js';
import { answerOf } from '../steps.js';
import { checkEnvOf, slugOf, textOf, type Ticket } from '../ticket.js';
import { MINUTES } from '../time-plan.js';
import { newWork, type Work } from '../work.js';

/** Names a branch before anything is done, and keeps the working files of this flow out of commits. */
export async function begin(f: Ctx, ticket: Ticket, input: unknown): Promise<Work> {
  const work = newWork(ticket, textOf(input, 'approver'), checkEnvOf(input));
  const base = await answerOf(f, work, START, { RELAYFLOW_SLUG: slugOf(ticket) }, { minutes: MINUTES.push });
  work.base = base === 'none' ? '' : base;
  await answerOf(f, work, EXCLUDE_WORKING_FILES);
  return work;
}
