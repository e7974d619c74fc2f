import type { Ctx } from '@relayflows/surface';
import { discoveryTask } from '../prompts.js';
import { checkCommand } from '../settings.js';
import { CHECK_RESOLVE } from '../shell.js';
import { answerOf, tell } from '../steps.js';
import type { Work } from '../work.js';

/**
 * Settles how this repository is checked: the author knows, the repository says, an agent finds out, or its
 * kind of project tells.
 */
export async function settleChecks(f: Ctx, work: Work): Promise<void> {
  const env = { RELAYFLOW_CHECK_COMMAND: checkCommand.trim() };
  if (env.RELAYFLOW_CHECK_COMMAND === '' && (await committedScript(f)) === '') {
    const { stopped } = await tell(f, 'check-discovery', discoveryTask(), 10);
    // What it was stopped while writing is no script.
    if (stopped !== '') await f.run('rm -f .relayflow/check.sh', { onNonZero: 'record' });
    const settled = await answerOf(f, CHECK_RESOLVE, env);
    work.checkSource = { script: 'discovered', default: 'default' }[settled] ?? '';
    return;
  }
  await answerOf(f, CHECK_RESOLVE, env);
  work.checkSource = env.RELAYFLOW_CHECK_COMMAND === '' ? 'repository' : 'input';
}

async function committedScript(f: Ctx): Promise<string> {
  const { stdout } = await f.run('git ls-files -- .relayflow/check.sh', { onNonZero: 'record' });
  return stdout.trim();
}
