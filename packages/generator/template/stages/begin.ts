import { EXCLUDE_WORKING_FILES, START } from '../shell.js';
import { answerOf } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Names a branch before anything is done, and keeps the working files of this flow out of commits. */
export async function begin(work: Work) {
  const base = await answerOf(work, START, {}, MINUTES.push);
  work.base = base === 'none' ? '' : base;
  await answerOf(work, EXCLUDE_WORKING_FILES);
}
