import { EXCLUDE_WORKING_FILES, START } from '../shell.js';
import { answerOf } from '../steps.js';
import { MINUTES } from '../time-plan.js';
import type { Work } from '../work.js';

/** Names a branch for the work, and keeps working files out of commits. Says what went wrong. */
export async function begin(work: Work) {
  const base = await answerOf(work, START, {}, MINUTES.push);
  if (/^(failed)?$/.test(base)) return 'No branch could be made for the work.';
  work.base = base === 'none' ? '' : base;
  await answerOf(work, EXCLUDE_WORKING_FILES);
  return '';
}
