const FIRST_MS = 2_000;
const LONGEST_MS = 300_000;
const JITTER = 0.2;

/** Milliseconds until the next try after so many failures in a row: 2 s, doubled each time, each 20 % more or less, and never more than 5 min. There is no last try. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const base = FIRST_MS * 2 ** Math.min(20, failures - 1);
  return Math.min(LONGEST_MS, Math.round(base * (1 - JITTER + 2 * JITTER * random())));
}
