import { MINUTES } from './time-plan.js';
import type { Work } from './work.js';

/** Whole minutes for a step that wants so many, with so many kept for what comes after it. */
export function minutesFor({ spent }: Work, wanted: number, kept: number) {
  return Math.max(0, Math.floor(Math.min(wanted, MINUTES.total - MINUTES.slack - spent / 60_000 - kept)));
}

/** Puts what a step took on the account: its limit at most, since a run that rested meanwhile spent nothing. */
export async function timed<T>(work: Work, minutes: number, action: () => PromiseLike<T>) {
  const begun = await work.f.now();
  try {
    return await action();
  } finally {
    work.spent += Math.min((await work.f.now()) - begun, (minutes + 1) * 60_000);
  }
}
