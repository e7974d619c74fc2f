/** The time as the runtime sees it. The default reads the machine; a test or `simulate()` gives its own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds on a clock that never steps back; only differences mean anything. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds, however long that is, and not before `now` says so. Cancelling twice, or after the call, does nothing. */
  setTimer(ms: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** The longest delay that `setTimeout` honours; a longer one fires at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;
/** `setTimeout` counts whole milliseconds of a clock of its own, so it may be early by so much of the time that is told. */
const EARLY_MS = 2;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(ms, callback) {
    let handle: ReturnType<typeof setTimeout>;
    const due = Date.now() + ms;
    const end = (): void => {
      const left = due - Date.now();
      // More than that is a clock that was set back, which holds nobody up.
      if (left > 0 && left <= EARLY_MS) handle = setTimeout(end, left);
      else callback();
    };
    const arm = (left: number): void => {
      handle = left > LONGEST_TIMEOUT
        ? setTimeout(() => arm(left - LONGEST_TIMEOUT), LONGEST_TIMEOUT)
        : setTimeout(end, Math.max(0, left));
    };
    arm(ms);
    return { cancel: () => clearTimeout(handle) };
  },
};
