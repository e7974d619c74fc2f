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
