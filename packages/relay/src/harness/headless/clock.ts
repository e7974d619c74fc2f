/** Time, as the executor uses it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves at a time, or as soon as `signal` is aborted. */
  until(time: number, signal: AbortSignal): Promise<void>;
}

/** Timers of Node take no longer delay than this, in milliseconds. */
const LONGEST_TIMER = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  async until(time, signal) {
    while (!signal.aborted && Date.now() < time) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, Math.min(time - Date.now(), LONGEST_TIMER));
        signal.addEventListener('abort', done, { once: true });
      });
    }
  },
};

const FIRST_MS = 2_000;
const LONGEST_MS = 300_000;

/** How long to wait after the n-th failure in a row, in milliseconds: 2 s, doubled each time up to 5 min, 20 % more or less. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const base = Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 20), LONGEST_MS);
  return Math.round(base * (0.8 + random() * 0.4));
}
