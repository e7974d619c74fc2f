import type { Ctx } from '@relayflows/surface';
import { repairTask } from '../prompts.js';
import { BASE_CHECK, CHECK_RESOLVE, CHECK_RUN } from '../shell.js';
import { answerOf, tell } from '../steps.js';
import type { Work } from '../work.js';

/** Runs the checks, lets an agent repair what fails, and finds out whether what still fails did so before. */
export async function check(f: Ctx, work: Work): Promise<void> {
  if (work.checkSource === '') {
    // The change may have brought the first checks with it.
    work.checkSource = (await answerOf(f, CHECK_RESOLVE, {})) === 'default' ? 'default' : '';
  }
  work.check = await runChecks(f, CHECK_RUN, work);
  if (work.check === 'fail' || work.check === 'timeout') {
    const { summary, stopped } = await tell(f, 'check-repair', repairTask(work.ticket, work.check), 20);
    work.notes = summary || stopped;
    work.check = await runChecks(f, CHECK_RUN, work);
  }
  if (work.check === 'fail') work.baseCheck = await runChecks(f, BASE_CHECK, work);
}

/** Without the credentials of whoever runs this flow: what a repository's own scripts do with them is not known. */
async function runChecks(f: Ctx, script: string, { base }: Work): Promise<string> {
  const token = await answerOf(f, script, { RELAYFLOW_BASE: base, RELAYFLOW_CHECK_LIMIT: String(14 * 60) }, {
    timeout: '15m',
    secrets: 'scrub',
  });
  return token || 'unrunnable';
}
