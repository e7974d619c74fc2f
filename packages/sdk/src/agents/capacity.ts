import { randomUUID } from 'node:crypto';
import { FlowsError } from '../errors/flows-error.js';
import { canceledError } from './canceled.js';

export const DEFAULT_AGENT_CAPACITY = 4;
const LARGEST_CAPACITY = 32;

/** Throws `invalid_invocation` when it is not a whole number from 1 to 32. */
export function checkAgentCapacity(capacity: number): number {
  if (Number.isInteger(capacity) && capacity >= 1 && capacity <= LARGEST_CAPACITY) return capacity;
  throw new FlowsError('invalid_invocation', `The agent capacity must be a whole number from 1 to ${LARGEST_CAPACITY}, got ${capacity}.`, {
    hint: `Give a number from 1 to ${LARGEST_CAPACITY}; the default is ${DEFAULT_AGENT_CAPACITY}.`,
  });
}

interface Waiter {
  readonly directory: string | undefined;
  readonly admit: () => void;
}

/** A place that was given; `release` gives it back, once. */
export interface Slot {
  /** The how-manieth of those given for its directory, from 1; 0 without a directory. */
  readonly turn: number;
  release(): void;
}

/**
 * A bounded number of places, given in the order of asking. A place may be tied to a directory; then at most one is given per directory, and who
 * waits for a directory holds no place meanwhile.
 */
export class Slots {
  /** Tells these slots, and their count of turns, from those of another process. */
  readonly token = randomUUID();
  readonly #capacity: number;
  readonly #busy = new Set<string>();
  readonly #turns = new Map<string, number>();
  #taken = 0;
  #waiting: Waiter[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Resolves when there is a place. Rejects with `canceled` when the signal aborts before that. */
  async acquire(request: { readonly directory?: string; readonly signal?: AbortSignal }): Promise<Slot> {
    const { directory, signal } = request;
    if (signal?.aborted === true) throw canceledError();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(canceledError());
      };
      const waiter: Waiter = {
        directory,
        admit: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
      this.#admitAll();
    });
    let held = true;
    return {
      turn: directory === undefined ? 0 : (this.#turns.get(directory) ?? 0),
      release: () => {
        if (!held) return;
        held = false;
        this.#taken -= 1;
        if (directory !== undefined) this.#busy.delete(directory);
        this.#admitAll();
      },
    };
  }

  /** Directories in which somebody works now. */
  get directories(): ReadonlySet<string> {
    return this.#busy;
  }

  #admitAll(): void {
    const left: Waiter[] = [];
    for (const waiter of this.#waiting) {
      const free = this.#taken < this.#capacity && (waiter.directory === undefined || !this.#busy.has(waiter.directory));
      if (!free) {
        left.push(waiter);
        continue;
      }
      this.#taken += 1;
      if (waiter.directory !== undefined) {
        this.#busy.add(waiter.directory);
        this.#turns.set(waiter.directory, (this.#turns.get(waiter.directory) ?? 0) + 1);
      }
      waiter.admit();
    }
    this.#waiting = left;
  }
}
