import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { FlowsError } from '../../errors/flows-error.js';
import type { SqliteDatabase, SqliteRecord, SqliteStatement, SqliteValue } from './database.js';
import { hasBuiltInSqlite } from './driver.js';
import { journalFailure, journalUnavailable } from './failures.js';
import { openLibsqlDatabase } from './libsql-engine.js';
import { openNodeDatabase } from './node-engine.js';
import { APPLICATION_ID } from './schema.js';

/**
 * A SQLite database of a host, with the engine of the journal. Every call is synchronous. Failures of the engine are `FlowsError`s: `journal_busy`,
 * `journal_full`, `journal_corrupt`, `journal_unavailable`, and `journal_io` for any other, such as a violated constraint.
 *
 * It may be the file of a journal: tables of the host are then called `relay_…`, and `user_version` and `application_id` are the journal's. A transaction
 * must be short: the journal, of this process or another, waits for it.
 */
export interface HostDatabase {
  /** Executes statements that have no parameters. */
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
const BUSY_TIMEOUT_MS = 5_000;

/** Opens a database file, or creates it with mode 0600; its folder must exist. WAL, `synchronous = NORMAL`: a commit survives the death of the process, not of the machine. */
export function openDatabase(path: string): HostDatabase {
  const absolute = resolve(path);
  try {
    createFile(absolute);
    const open = hasBuiltInSqlite(process.versions.node) ? openNodeDatabase : openLibsqlDatabase;
    const database = open(absolute);
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      markIfEmpty(database);
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      return new OpenDatabase(database, absolute);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    const explained = journalFailure(error, absolute);
    throw explained === error ? journalUnavailable(absolute, error) : explained;
  }
}

/** SQLite would create it readable for everybody. */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A journal is made in no file of another application: one that begins here says what it is, in the file itself and not only in its WAL. */
function markIfEmpty(database: SqliteDatabase): void {
  if (database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').rows([]).length > 0 || database.prepare('PRAGMA application_id').rows([])[0]?.[0] !== 0) return;
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}

class OpenDatabase implements HostDatabase {
  readonly #database: SqliteDatabase;
  readonly #path: string;
  #depth = 0;
  #closed = false;

  constructor(database: SqliteDatabase, path: string) {
    this.#database = database;
    this.#path = path;
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
    this.exec(depth === 0 ? 'BEGIN IMMEDIATE' : `SAVEPOINT inner_${depth}`);
    this.#depth += 1;
    try {
      const value = act();
      if (value instanceof Promise) throw new FlowsError('invalid_invocation', 'A transaction of a database waits for nothing, and its function returned a promise.', { hint: 'Do what takes time before or after the transaction.' });
      this.exec(depth === 0 ? 'COMMIT' : `RELEASE inner_${depth}`);
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
    this.#database.close();
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
