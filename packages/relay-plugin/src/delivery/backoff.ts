const FIRST_MS = 2_000;
const CAP_MS = 300_000;
const SPREAD = 0.2;

/**
 * How long to wait after a number of failures in a row (1 or more), in milliseconds: 2 s, doubled each time up to 5 minutes, each up to 20 % shorter or
 * longer, but never longer than 5 minutes. `random` is in [0, 1).
 */
export function waitAfter(failures: number, random: number): number {
  const base = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(Math.min(CAP_MS, base * (1 - SPREAD + 2 * SPREAD * random)));
}

/** Time, as far as deliveries need it; tests hold it in their hands. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => {
    // A program that has nothing else to do may end; what was not delivered yet is lost with it.
    setTimeout(resolve, milliseconds).unref();
  }),
};
