const FIRST_MS = 2_000;
const LONGEST_MS = 300_000;
const JITTER = 0.2;

/** Milliseconds until the next try after so many failures in a row: 2 s, doubled each time up to 5 min, each ±20 %. There is no last try. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(30, failures - 1));
  return Math.round(base * (1 - JITTER + 2 * JITTER * random()));
}
