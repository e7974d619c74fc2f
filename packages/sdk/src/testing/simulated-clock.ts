import type { Clock, Timer } from '../ports/clock.js';

interface Alarm {
  readonly due: number;
  readonly rank: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still while anything can happen without it, and then jumps to the next timer.
 *
 * The idle rule: it jumps when nobody holds it (a script that has not answered yet holds it, and so does a turn of the event loop that the runtime
 * asked for) and the microtasks have run out. It calls one timer at a time, the earliest first, those of one moment by rank, which is the order in which
 * they were set or their calls were made, and then waits until it is idle again. Nothing depends on how fast the machine is: the same simulation comes out the same.
 *
 * It does not see what a body waits for on its own, such as a file or a timer of Node; the contract of flows forbids that between steps.
 */
export class SimulatedClock implements Clock {
  #now: number;
  /** In the order in which they are called. */
  readonly #alarms: Alarm[] = [];
  #ranks = 0;
  #holds = 0;
  #checking = false;
  #stopped = false;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  /** A place among the timers of one moment, for a timer that is set later: whose length is not known yet. */
  rank(): number {
    return (this.#ranks += 1);
  }

  setTimer(ms: number, callback: () => void, rank = this.rank()): Timer {
    const alarm: Alarm = { due: this.#now + Math.max(0, ms), rank, callback };
    const later = this.#alarms.findIndex((other) => other.due > alarm.due || (other.due === alarm.due && other.rank > rank));
    this.#alarms.splice(later === -1 ? this.#alarms.length : later, 0, alarm);
    this.#check();
    return {
      cancel: () => {
        const at = this.#alarms.indexOf(alarm);
        if (at !== -1) this.#alarms.splice(at, 1);
      },
    };
  }

  /** Keeps the time from passing until the answer is called. */
  hold(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.#check();
    };
  }

  /** Keeps the time from passing until a promise has settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    const release = this.hold();
    try {
      return await work;
    } finally {
      release();
    }
  }

  /** Calls back in a later turn of the event loop; no time passes before. */
  readonly turn = (callback: () => void): void => {
    const release = this.hold();
    setImmediate(() => {
      release();
      callback();
    });
  };

  /** No timer is called any more. */
  stop(): void {
    this.#stopped = true;
    this.#alarms.length = 0;
  }

  /** Looks in the next turn of the event loop: every microtask has run by then. */
  #check(): void {
    if (this.#checking || this.#stopped || this.#holds > 0 || this.#alarms.length === 0) return;
    this.#checking = true;
    setImmediate(() => {
      this.#checking = false;
      if (this.#holds > 0) return;
      const alarm = this.#alarms.shift();
      if (alarm === undefined) return;
      this.#now = alarm.due;
      alarm.callback();
      this.#check();
    });
  }
}
