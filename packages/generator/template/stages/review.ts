import { minutesFor } from '../account.js';
import { outcomeOf } from '../outcome.js';
import { REVIEW_BLOCKED } from '../shell.js';
import { answerOf, ask, tell } from '../steps.js';
import { ENDING, MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';
import { check } from './check.js';
import { publish } from './publish.js';

/** Lets somebody else review, the builder fix, and reviews that. Says what makes the change a draft; empty: nothing. */
export async function review(work: Work) {
  const objection = await reviewAndFix(work);
  if (objection !== '') await answerOf(work, REVIEW_BLOCKED, { outcome: objection });
  return objection;
}

async function reviewAndFix(work: Work) {
  const first = await lookAt(work);
  if (first !== 'findings') return first;
  const minutes = minutesFor(work, MINUTES.fix, MINUTES.checkFloor + ENDING);
  if (minutes < 2) return 'There was no time left for its findings.';
  const before = work.checkResult;
  await tell(work, 'fixer', minutes);
  await check(work, ENDING);
  const unpublished = await publish(work);
  if (unpublished !== '') return unpublished;
  if (before === 'pass' && work.checkResult !== 'pass') return 'What the fixer did breaks checks that passed before.';
  const { broke, reason } = outcomeOf(work);
  if (broke) return reason;
  const second = await lookAt(work);
  return second === 'findings' ? 'The review found what is not resolved.' : second;
}

/** One review: empty when it is clean, `findings`, or why it came to no end. */
async function lookAt(work: Work) {
  work.f.phase('reviewing');
  await ask(work, 'rm -f review.md review.clean');
  const minutes = minutesFor(work, MINUTES.review, 2 * MINUTES.small);
  const { stopped } = await tell(work, 'adversary', minutes, { base: work.base });
  if (stopped !== '') return stopped;
  const verdict = 'if [ -s review.md ]; then echo findings; elif [ -e review.clean ]; then echo clean; fi';
  const { stdout } = await ask(work, verdict);
  return { findings: 'findings', clean: '' }[stdout.trim()] ?? 'The review came to no verdict.';
}
