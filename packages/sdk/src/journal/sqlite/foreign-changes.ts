import type { SqliteDatabase, SqliteStatement } from './database.js';

/** How often the file is asked whether another connection has changed it: a read of shared memory. */
const POLL_MS = 200;

/** Notices commits of other connections, of this process or another, while somebody listens. The timer keeps no process alive. */
export class ForeignChanges {
  readonly #version: () => number;
  readonly #listeners = new Set<() => void>();
  #known: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(database: SqliteDatabase) {
    let statement: SqliteStatement | undefined;
    this.#version = () => {
      statement ??= database.prepare('PRAGMA data_version');
      return statement.rows([])[0]?.[0] as number;
    };
  }

  listen(listener: () => void): () => void {
    // A wrapper, so that one function registered twice is two registrations.
    const registration = (): void => listener();
    this.#listeners.add(registration);
    if (this.#timer === undefined) {
      this.#known = this.#read();
      this.#timer = setInterval(() => this.#poll(), POLL_MS).unref();
    }
    return () => {
      this.#listeners.delete(registration);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#listeners.clear();
  }

  #poll(): void {
    const version = this.#read();
    if (version === this.#known && version !== undefined) return;
    this.#known = version;
    for (const listener of this.#listeners) listener();
  }

  /** `undefined` when the file cannot be read now: that counts as a change, and whoever then reads it learns the cause. */
  #read(): number | undefined {
    try {
      return this.#version();
    } catch {
      return undefined;
    }
  }
}
