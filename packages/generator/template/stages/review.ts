import type { Ctx } from '@relayflows/surface';
import { fixTask, reviewTask } from '../prompts.js';
import { CHECK_REPORT, DROP_WORKING_FILES, PUSH, REVIEW_BLOCKED } from '../shell.js';
import { answerOf, tell } from '../steps.js';
import type { Work } from '../work.js';
import { check } from './check.js';
import { changeOf } from './publish.js';

/**
 * Lets somebody else review the change, the builder fix what was found, and reviews the fix. Says what stands
 * against it; empty when nothing does.
 */
export async function review(f: Ctx, work: Work): Promise<string> {
  const first = await lookAt(f, work);
  if (first === '') return '';
  if (first === FINDINGS) {
    const before = work.check;
    await tell(f, 'fixer', fixTask(work.ticket), 30);
    await check(f, work);
    const env = changeOf(work);
    await answerOf(f, DROP_WORKING_FILES, env);
    await answerOf(f, CHECK_REPORT, env);
    await answerOf(f, PUSH, env);
    if (before === 'pass' && work.check !== 'pass') {
      return await block(f, work, 'What the fixer did breaks checks that passed before.');
    }
    if ((await lookAt(f, work)) === '') return '';
  }
  return await block(f, work, first === FINDINGS ? 'The review found what is not resolved.' : first);
}

const FINDINGS = 'findings';

/** One review: empty when it is clean, `findings`, or why it came to no end. */
async function lookAt(f: Ctx, work: Work): Promise<string> {
  await f.run('rm -f review.md review.clean', { onNonZero: 'record' });
  const { stopped } = await tell(f, 'adversary', reviewTask(work.ticket, work.base), 20);
  if (stopped !== '') return stopped;
  const { stdout } = await f.run(REVIEW_VERDICT, { onNonZero: 'record' });
  return { findings: FINDINGS, clean: '' }[stdout.trim()] ?? 'The review came to no verdict.';
}

const REVIEW_VERDICT = 'if [ -s review.md ]; then echo findings; elif [ -e review.clean ]; then echo clean; fi';

async function block(f: Ctx, work: Work, reason: string): Promise<string> {
  await answerOf(f, REVIEW_BLOCKED, { ...changeOf(work), RELAYFLOW_OUTCOME: reason });
  return reason;
}

