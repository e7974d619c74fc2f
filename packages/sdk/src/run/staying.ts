import type { Clock, Timer } from '../ports/clock.js';

/** How long a run whose steps all wait may go on by itself (timers and files of the body), in milliseconds, before it parks. */
export const GRACE_MS = 20;

interface Stay {
  readonly since: number;
  readonly leave: () => void;
  timer: Timer;
}

/**
 * Runs of a runtime that wait for a message and have not parked yet. What they wait for may come at once, and bringing a run back costs two commits and its whole
 * history. Nothing depends on it: a run that leaves early is only brought back more often.
 */
export class Staying {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #atMost: number;
  /** The one that has waited longest first. */
  readonly #stays = new Set<Stay>();

  constructor({ clock, forMs, atMost }: { readonly clock: Clock; readonly forMs: number; readonly atMost: number }) {
    this.#clock = clock;
    this.#forMs = Math.max(GRACE_MS, forMs);
    this.#atMost = atMost;
  }

  /** Calls back once the run has waited for long enough, or has to make room for others. Canceling the timer ends the stay. */
  begin(leave: () => void): Timer {
    const stay: Stay = { since: this.#clock.monotonic(), leave, timer: this.#clock.setTimer(this.#forMs, () => this.#over(stay)) };
    this.#stays.add(stay);
    const [longest] = this.#stays;
    if (longest !== undefined && this.#stays.size > this.#atMost) this.#shorten(longest);
    return {
      cancel: () => {
        this.#stays.delete(stay);
        stay.timer.cancel();
      },
    };
  }

  #shorten(stay: Stay): void {
    this.#stays.delete(stay);
    stay.timer.cancel();
    stay.timer = this.#clock.setTimer(Math.max(0, GRACE_MS - (this.#clock.monotonic() - stay.since)), stay.leave);
  }

  #over(stay: Stay): void {
    this.#stays.delete(stay);
    stay.leave();
  }
}
