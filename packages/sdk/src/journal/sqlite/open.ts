import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareDataDir } from '../data-dir.js';
import type { SqliteDatabase } from './database.js';
import { loadSqlite } from './driver.js';
import { isBusy, journalCorrupt, journalFailure, journalUnavailable } from './failures.js';
import { SqliteJournal, type FileJournal } from './journal.js';
import { checkIdentity, migrate } from './migrate.js';
import { openForReading, openUntouched } from './read-only.js';
import { MIGRATIONS } from './migrations.js';

export interface SqliteJournalOptions {
  /** Path of the file; its folder is the data directory. */
  readonly path: string;
  /** Opens an existing journal for reading: nothing is created, and it may be in a folder that is not writable. Default false. */
  readonly readOnly?: boolean;
  /** Milliseconds to wait for a lock that another process holds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /**
   * Milliseconds after a commit in which calls wait for others to share the next one: for a host with many runs at once, which then wait for the disk together. A call that comes
   * alone waits for nothing. Default 0.
   */
  readonly gatherMs?: number;
  /** The schema's history. Default: this package's. */
  readonly migrations?: readonly string[];
}

const DEFAULT_BUSY_TIMEOUT_MS = 5_000;
const RETRY_MS = 25;

/**
 * Frames in the WAL after which it is moved into the file. Small, because a WAL that is used again from its beginning does not grow, and a commit to a
 * file that does not grow waits for the disk half as long.
 */
const CHECKPOINT_PAGES = 200;
/** Bytes of WAL that stay on disk after large values went through it. */
const LARGEST_KEPT_WAL = 8 * 1024 * 1024;

/**
 * Opens the journal in a SQLite file, and creates the file (mode 0600) and its folder (mode 0700) when they do not exist; a journal of an older schema
 * is migrated.
 *
 * Throws `journal_unavailable` (no access, no such file with `readOnly`, no SQLite engine for this platform), `journal_corrupt` (damaged, or not a
 * journal: the file is left untouched), `journal_newer`, `journal_busy`, `journal_full`, `journal_io`.
 */
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<FileJournal> {
  const path = resolve(options.path);
  const { readOnly = false, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, gatherMs = 0, migrations = MIGRATIONS } = options;
  try {
    const open = await loadSqlite();
    return await untilFree(busyTimeoutMs, () => {
      const { database, dispose } = readOnly ? openExisting(open, { path, migrations }) : { database: openOrCreate(open, { path, migrations }), dispose: () => undefined };
      return new SqliteJournal({ database, path, busyTimeoutMs, gatherMs, readOnly, onClosed: dispose });
    });
  } catch (error) {
    const explained = journalFailure(error, path);
    throw explained === error ? journalUnavailable(path, error) : explained;
  }
}

function openOrCreate(open: (path: string) => SqliteDatabase, request: { readonly path: string; readonly migrations: readonly string[] }): SqliteDatabase {
  const { path } = request;
  prepareDataDir(dirname(path));
  createFile(path);
  accessSync(path, constants.R_OK | constants.W_OK);
  checkFile(open, request);
  const database = open(path);
  try {
    migrate(database, request);
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${LARGEST_KEPT_WAL}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openExisting(open: (path: string) => SqliteDatabase, request: { readonly path: string; readonly migrations: readonly string[] }): ReturnType<typeof openForReading> {
  accessSync(request.path, constants.R_OK);
  checkFile(open, request);
  return openForReading(open, request);
}

/** SQLite would create it readable for everybody. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function checkFile(open: (path: string) => SqliteDatabase, request: { readonly path: string; readonly migrations: readonly string[] }): void {
  const { path } = request;
  const file = statSync(path);
  if (file.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR', path });
  // SQLite takes an empty file for a new database, and deletes a WAL that lies beside it.
  if (file.size === 0 && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) throw journalCorrupt(path, 'it is empty, but its WAL is not');
  if (file.size === 0) return;
  const database = openUntouched(open, path);
  try {
    checkIdentity(database, request);
  } finally {
    database.close();
  }
}

/** Locks held while opening are waited for like later ones. */
async function untilFree<T>(busyTimeoutMs: number, attempt: () => T): Promise<T> {
  const begin = performance.now();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() - begin >= busyTimeoutMs) throw error;
    }
    await sleep(RETRY_MS);
  }
}
