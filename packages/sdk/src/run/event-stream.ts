import type { RunEvent } from './events.js';

/** How many events a run keeps for readers that start late or read slowly. */
const KEPT = 10_000;

/**
 * The events of one run for any number of readers, each from the oldest event kept. A reader that falls more than {@link KEPT} events behind
 * misses the oldest ones; nobody holds the run up.
 */
export class EventStream implements AsyncIterable<RunEvent> {
  #kept: RunEvent[] = [];
  /** The number of events dropped from the front of `#kept`. */
  #dropped = 0;
  #ended = false;
  #waiting: (() => void)[] = [];

  push(event: RunEvent): void {
    this.#kept.push(event);
    // Dropping half at a time keeps the cost per event constant.
    if (this.#kept.length > 2 * KEPT) {
      this.#dropped += this.#kept.length - KEPT;
      this.#kept = this.#kept.slice(-KEPT);
    }
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    let next = this.#dropped;
    for (;;) {
      next = Math.max(next, this.#dropped);
      const event = this.#kept[next - this.#dropped];
      if (event !== undefined) {
        next += 1;
        yield event;
      } else if (this.#ended) {
        return;
      } else {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    }
  }
}
