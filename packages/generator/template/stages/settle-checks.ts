import { CHECK_REMEMBER, CHECK_RESOLVE } from '../shell.js';
import { answerOf, ask, tell } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Settles the checks: those of the input, the author, the repository, an earlier run, an agent, or the usual ones. */
export async function settleChecks(work: Work) {
  if (work.checkCommand !== '') work.checkSource = 'input';
  else if ((await ask(work, 'git ls-files -- .relayflow/check.sh')).stdout !== '') work.checkSource = 'repository';
  else if ((await answerOf(work, CHECK_REMEMBER)) !== 'restored') {
    const { stopped } = await tell(work, 'check-discovery', MINUTES.discovery);
    // What it was stopped while writing is no script.
    if (stopped !== '') await ask(work, 'rm -f .relayflow/check.sh');
  }
  const settled = await answerOf(work, CHECK_RESOLVE);
  work.checkSource ||= { script: 'discovered', default: 'default' }[settled] ?? '';
}
