import { FlowsError } from '../../errors/flows-error.js';
import type { SqliteDatabase, SqliteRecord, SqliteStatement, SqliteValue } from './database.js';
import { isBusy, journalFailure } from './failures.js';

/**
 * A SQLite database of a host, with the engine of the journal. Every call is synchronous. Failures of the engine are `FlowsError`s: `journal_busy`,
 * `journal_full`, `journal_corrupt`, `journal_unavailable`, and `journal_io` for any other, such as a violated constraint.
 *
 * It may be the file of a journal: tables of the host are then called `relay_…`, and `user_version` and `application_id` are the journal's. A transaction
 * must be short: the journal, of this process or another, waits for it.
 */
export interface HostDatabase {
  /** Executes statements that have no parameters. Outside of a transaction each is one of its own, and may find the database locked at once. */
  exec(sql: string): void;
  /** Compiles one statement. */
  prepare(sql: string): HostStatement;
  /** Executes `act` in one transaction (`BEGIN IMMEDIATE`), and undoes everything when it throws. Inside of another one it is undone alone. `act` must not wait for anything. */
  transaction<T>(act: () => T): T;
  /** Calling it twice is allowed. */
  close(): void;
}

export interface HostStatement {
  /** Executes a statement that returns no rows. */
  run(...params: readonly HostParameter[]): { readonly changes: number };
  /** The first row, its values by the names of its columns. */
  get(...params: readonly HostParameter[]): HostRow | undefined;
  all(...params: readonly HostParameter[]): HostRow[];
}

/** A parameter in the order of the question marks. Numbers need a column of INTEGER affinity to be stored as integers. */
export type HostParameter = null | number | string | Uint8Array;
export type HostRow = Readonly<Record<string, HostParameter>>;

/** Milliseconds that a statement waits for a lock of another process. Within this process nobody holds one between two calls. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Tables of a host on the connection of a journal that is open in this process: its cache serves both, where two connections would each forget what the other has written.
 * `beforeCommit` has commits not wait for the disk; `blockingMs` is how long the journal lets SQLite wait for a lock. The connection is the journal's to close.
 */
export function tablesBeside(options: { readonly database: SqliteDatabase; readonly path: string; readonly beforeCommit: () => void; readonly blockingMs: number }): HostDatabase {
  return new OpenDatabase({ ...options, close: () => undefined });
}

interface DatabaseParts {
  readonly database: SqliteDatabase;
  readonly path: string;
  /** Called before a transaction begins. */
  readonly beforeCommit?: () => void;
  /** How long the connection waits for a lock, unless that is as long as this database has to. */
  readonly blockingMs?: number;
  readonly close: () => void;
}

/** A database of a host on an open connection. */
export class OpenDatabase implements HostDatabase {
  readonly #parts: DatabaseParts;
  readonly #database: SqliteDatabase;
  readonly #path: string;
  readonly #begin: SqliteStatement;
  readonly #commit: SqliteStatement;
  #depth = 0;
  #closed = false;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
    this.#database = parts.database;
    this.#path = parts.path;
    this.#begin = parts.database.prepare('BEGIN IMMEDIATE');
    this.#commit = parts.database.prepare('COMMIT');
  }

  exec(sql: string): void {
    this.#explained(() => this.#database.exec(sql));
  }

  prepare(sql: string): HostStatement {
    const statement: SqliteStatement = this.#explained(() => this.#database.prepare(sql));
    const records = (params: readonly SqliteValue[]): SqliteRecord[] => this.#explained(() => statement.records(params));
    return {
      // In a transaction also where none is open: a statement that began by itself and found the database locked stays begun in one of the engines, and no
      // transaction after it could be committed.
      run: (...params) => {
        const run = (): number => this.#explained(() => statement.run(params));
        return { changes: this.#depth === 0 ? this.transaction(run) : run() };
      },
      get: (...params) => records(params)[0],
      all: (...params) => records(params),
    };
  }

  transaction<T>(act: () => T): T {
    const depth = this.#depth;
    if (depth === 0) this.#explained(() => this.#beginOutermost());
    else this.exec(`SAVEPOINT inner_${depth}`);
    this.#depth += 1;
    try {
      const value = act();
      if (value instanceof Promise) throw new FlowsError('invalid_invocation', 'A transaction of a database waits for nothing, and its function returned a promise.', { hint: 'Do what takes time before or after the transaction.' });
      if (depth === 0) this.#explained(() => this.#commit.run([]));
      else this.exec(`RELEASE inner_${depth}`);
      return value;
    } catch (error) {
      this.#undo(depth);
      throw error;
    } finally {
      this.#depth = depth;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#parts.close();
  }

  #beginOutermost(): void {
    const { beforeCommit, blockingMs } = this.#parts;
    beforeCommit?.();
    try {
      this.#begin.run([]);
    } catch (error) {
      if (blockingMs === undefined || !isBusy(error)) throw error;
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      try {
        this.#begin.run([]);
      } finally {
        this.#database.exec(`PRAGMA busy_timeout = ${blockingMs}`);
      }
    }
  }

  #undo(depth: number): void {
    try {
      this.#database.exec(depth === 0 ? 'ROLLBACK' : `ROLLBACK TO inner_${depth}; RELEASE inner_${depth}`);
    } catch {
      // SQLite has rolled back by itself; the failure being handled tells more than this one.
    }
  }

  #explained<T>(act: () => T): T {
    if (this.#closed) throw new FlowsError('journal_unavailable', `The database ${this.#path} is closed.`, { hint: 'Open it again.' });
    try {
      return act();
    } catch (error) {
      throw journalFailure(error, this.#path);
    }
  }
}
