import type { Work } from './work.js';

/** What becomes of a change once it is known how its checks ended. */
export interface Outcome {
  draft: boolean;
  /** Whether somebody reviews it. */
  review: boolean;
  end: 'needs_human' | 'step_failed';
  reason: string;
}

export function outcomeOf({ check, baseCheck, stopped }: Pick<Work, 'check' | 'baseCheck' | 'stopped'>): Outcome {
  const draft = (reason: string): Outcome => ({ draft: true, review: true, end: 'needs_human', reason });
  if (check === 'fail') {
    if (baseCheck === 'fail' || baseCheck === 'timeout') {
      return draft('The checks fail, and they fail on the base commit as well.');
    }
    if (baseCheck === 'pass' || baseCheck === 'none') {
      const reason = 'The change breaks checks that pass on its base commit.';
      return { draft: true, review: false, end: 'step_failed', reason };
    }
    return draft('The checks fail, and it could not be found out whether they fail on the base commit as well.');
  }
  if (check !== 'pass' && check !== 'none') return draft(`The checks did not come to an end: ${check}.`);
  if (stopped !== '') return draft(stopped);
  return { draft: false, review: true, end: 'needs_human', reason: 'A person reviews and merges the change.' };
}
