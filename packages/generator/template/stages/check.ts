import { minutesFor } from '../account.js';
import { BASE_CHECK, CHECK_REMEMBER, CHECK_RESOLVE, CHECK_RUN } from '../shell.js';
import { answerOf, ask, tell } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Checks, lets an agent repair what fails, and compares with the base. Keeps so many minutes for what comes after. */
export async function check(work: Work, kept: number) {
  // The change may have brought the first checks with it.
  if (work.checkSource === '' && (await answerOf(work, CHECK_RESOLVE)) === 'default') work.checkSource = 'default';
  work.f.phase('checking');
  work.checkResult = await runChecks(work, CHECK_RUN, kept);
  const sum = async () => (await ask(work, 'cksum .relayflow/check.sh')).stdout;
  const before = await sum();
  for (let round = 1; round <= 2 && /fail|timeout/.test(work.checkResult); round += 1) {
    const minutes = minutesFor(work, MINUTES.repair, MINUTES.checkFloor + kept);
    if (minutes < 2) break;
    work.f.phase('repairing');
    const { summary, stopped } = await tell(work, 'check-repair', minutes, { check: work.checkResult });
    work.checkNotes = `${work.checkNotes}\n\n${summary || stopped}`.trim();
    work.checkResult = await runChecks(work, CHECK_RUN, kept);
  }
  if ((await sum()) !== before) work.checkRepaired = '1';
  const isFound = work.checkResult === 'pass' && work.checkSource === 'discovered';
  if (isFound) await answerOf(work, CHECK_REMEMBER, { remember: '1' });
  work.baseResult = work.checkResult === 'fail' ? await runChecks(work, BASE_CHECK, kept) : 'skipped';
}

/** Runs checks without credentials. They stop themselves a minute before their step would be stopped. */
async function runChecks(work: Work, script: string, kept: number) {
  const minutes = minutesFor(work, MINUTES.check, kept);
  if (minutes < 2) return 'skipped';
  const words = { checkLimit: String((minutes - 1) * 60) };
  const answer = await answerOf(work, script, words, minutes, { secrets: 'scrub', keep: work.checkEnv });
  return answer || 'unrunnable';
}
