import type { Ctx } from '@relayflows/surface';
import { minutesFor } from '../account.js';
import { outcomeOf } from '../outcome.js';
import { REVIEW_BLOCKED } from '../shell.js';
import { answerOf, ask, tell } from '../steps.js';
import { FIXED, MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';
import { check } from './check.js';
import { changeOf, publish } from './publish.js';

const FINDINGS = 'findings';

/**
 * Lets somebody else review the change, the builder fix what was found, and reviews the fix. Says what stands against
 * the change; empty when nothing does.
 */
export async function review(f: Ctx, work: Work): Promise<string> {
  const first = await lookAt(f, work);
  if (first === '') return '';
  const minutes = minutesFor(work, MINUTES.fix, MINUTES.checkFloor + FIXED);
  if (first !== FINDINGS || minutes < 2) {
    return await block(f, work, first === FINDINGS ? 'There was no time left for its findings.' : first);
  }
  const before = work.check;
  await tell(f, work, 'fixer', minutes);
  await check(f, work, FIXED);
  const unpublished = await publish(f, work);
  if (unpublished !== '') return await block(f, work, unpublished);
  if (before === 'pass' && work.check !== 'pass') {
    return await block(f, work, 'What the fixer did breaks checks that passed before.');
  }
  const { review: goesOn, reason } = outcomeOf(work);
  if (!goesOn) return await block(f, work, reason);
  const second = await lookAt(f, work);
  if (second === '') return '';
  return await block(f, work, second === FINDINGS ? 'The review found what is not resolved.' : second);
}

const VERDICT = 'if [ -s review.md ]; then echo findings; elif [ -e review.clean ]; then echo clean; fi';

/** One review: empty when it is clean, `findings`, or why it came to no end. */
async function lookAt(f: Ctx, work: Work): Promise<string> {
  f.phase('reviewing');
  await ask(f, work, 'rm -f review.md review.clean');
  const minutes = minutesFor(work, MINUTES.review, 2 * MINUTES.small);
  const { stopped } = await tell(f, work, 'adversary', minutes, { base: work.base });
  if (stopped !== '') return stopped;
  const { stdout } = await ask(f, work, VERDICT);
  return { findings: FINDINGS, clean: '' }[stdout.trim()] ?? 'The review came to no verdict.';
}

async function block(f: Ctx, work: Work, reason: string): Promise<string> {
  await answerOf(f, work, REVIEW_BLOCKED, { ...changeOf(work), RELAYFLOW_OUTCOME: reason });
  return reason;
}
