/** The time as the runtime sees it. The default reads the machine; a test or `simulate()` gives its own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never steps back; only differences mean anything. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds, however long that is. Cancelling twice, or after the call, does nothing. */
  setTimer(ms: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** The longest delay that `setTimeout` honours; a longer one fires at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(ms, callback) {
    let handle: ReturnType<typeof setTimeout>;
    const arm = (left: number): void => {
      handle = left > LONGEST_TIMEOUT
        ? setTimeout(() => arm(left - LONGEST_TIMEOUT), LONGEST_TIMEOUT)
        : setTimeout(callback, Math.max(0, left));
    };
    arm(ms);
    return { cancel: () => clearTimeout(handle) };
  },
};
