import type { Ctx } from '@relayflows/surface';
import { checkCommand } from '../settings.js';
import { CHECK_REMEMBER, CHECK_RESOLVE } from '../shell.js';
import { answerOf, ask, tell } from '../steps.js';
import { textOf } from '../ticket.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/**
 * Settles how this repository is checked: whoever starts the run knows, or the author, or the repository says, or it
 * was found out before, or an agent finds out, or the kind of project tells.
 */
export async function settleChecks(f: Ctx, work: Work, input: unknown): Promise<void> {
  const given = { RELAYFLOW_CHECK_COMMAND: textOf(input, 'checkCommand') || checkCommand.trim() };
  const committed = (await ask(f, work, 'git ls-files -- .relayflow/check.sh')).stdout !== '';
  if (given.RELAYFLOW_CHECK_COMMAND !== '') work.checkSource = 'input';
  else if (committed) work.checkSource = 'repository';
  else if ((await answerOf(f, work, CHECK_REMEMBER)) !== 'restored') {
    const { stopped } = await tell(f, work, 'check-discovery', MINUTES.discovery);
    // What it was stopped while writing is no script.
    if (stopped !== '') await ask(f, work, 'rm -f .relayflow/check.sh');
  }
  const settled = await answerOf(f, work, CHECK_RESOLVE, given);
  work.checkSource ||= { script: 'discovered', default: 'default' }[settled] ?? '';
}
