import type { Ctx } from '@relayflows/surface';
import { minutesFor } from '../account.js';
import { BASE_CHECK, CHECK_REMEMBER, CHECK_RESOLVE, CHECK_RUN } from '../shell.js';
import { answerOf, ask, tell } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

const REPAIRS = 2;
const SCRIPT_SUM = 'cksum .relayflow/check.sh';

/**
 * Runs the checks, lets an agent repair what fails, and finds out whether what still fails did so before. Keeps so many
 * minutes for what comes after.
 */
export async function check(f: Ctx, work: Work, kept: number): Promise<void> {
  if (work.checkSource === '') {
    // The change may have brought the first checks with it.
    const settled = await answerOf(f, work, CHECK_RESOLVE, { RELAYFLOW_BASE: work.base });
    work.checkSource = settled === 'default' ? settled : '';
  }
  f.phase('checking');
  work.check = await runChecks(f, work, CHECK_RUN, kept);
  const before = work.check === 'pass' ? '' : (await ask(f, work, SCRIPT_SUM)).stdout;
  for (let round = 1; round <= REPAIRS && (work.check === 'fail' || work.check === 'timeout'); round += 1) {
    const minutes = minutesFor(work, MINUTES.repair, MINUTES.checkFloor + kept);
    if (minutes < 2) break;
    f.phase('repairing');
    const { summary, stopped } = await tell(f, work, 'check-repair', minutes, { check: work.check });
    work.notes = [work.notes, summary || stopped].filter((note) => note !== '').join('\n\n');
    work.check = await runChecks(f, work, CHECK_RUN, kept);
  }
  if (before !== '') work.repaired ||= (await ask(f, work, SCRIPT_SUM)).stdout !== before;
  if (work.check === 'pass' && work.checkSource === 'discovered') {
    await answerOf(f, work, CHECK_REMEMBER, { RELAYFLOW_REMEMBER: '1' });
  }
  work.baseCheck = work.check === 'fail' ? await runChecks(f, work, BASE_CHECK, kept) : 'skipped';
}

/**
 * Runs checks without the credentials of whoever runs this flow: what a repository's own scripts do with them is not
 * known. They stop themselves a minute before their step would be stopped.
 */
async function runChecks(f: Ctx, work: Work, script: string, kept: number): Promise<string> {
  const minutes = minutesFor(work, MINUTES.check, kept);
  if (minutes < 2) return 'skipped';
  const env = {
    RELAYFLOW_BASE: work.base,
    RELAYFLOW_CHECK_SOURCE: work.checkSource,
    RELAYFLOW_CHECK_LIMIT: String((minutes - 1) * 60),
  };
  const options = { minutes, secrets: 'scrub', keep: work.checkEnv } as const;
  return (await answerOf(f, work, script, env, options)) || 'unrunnable';
}
