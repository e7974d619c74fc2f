import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SqliteFailure, type SqliteDatabase } from './database.js';
import { migrate, versionOf, type MigrationRequest } from './migrate.js';

type Open = (path: string) => SqliteDatabase;

export interface ReadOnlyDatabase {
  readonly database: SqliteDatabase;
  /** Removes what was made for reading. */
  readonly dispose: () => void;
}

/**
 * Opens a journal for reading and leaves its folder as it is, in the first of these ways that works:
 *
 * 1. beside its writers, through the WAL's shared memory;
 * 2. as a file that nobody changes, when there is no WAL and no place to make one;
 * 3. as a private copy, when it has a WAL that cannot be read where it lies, or an older schema.
 */
export function openForReading(open: Open, request: MigrationRequest): ReadOnlyDatabase {
  const { path, migrations } = request;
  const beside = tryOpen(open, uri(path, 'mode=ro'));
  if (beside === undefined && isEmpty(`${path}-wal`)) return { database: readable(open(uri(path, 'immutable=1'))), dispose: () => undefined };
  if (beside !== undefined && versionOf(beside) === migrations.length) return { database: beside, dispose: () => undefined };
  beside?.close();
  return openCopy(open, request);
}

/** The file alone, without its WAL, not locked and not changed by looking. */
export function openUntouched(open: Open, path: string): SqliteDatabase {
  return open(uri(path, 'immutable=1'));
}

function tryOpen(open: Open, location: string): SqliteDatabase | undefined {
  try {
    return readable(open(location));
  } catch (error) {
    if (error instanceof SqliteFailure && (error.primaryCode === CANTOPEN || error.primaryCode === READONLY)) return undefined;
    throw error;
  }
}

const READONLY = 8;
const CANTOPEN = 14;

/** SQLite looks at a file when it is first read. */
function readable(database: SqliteDatabase): SqliteDatabase {
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').rows([]);
  return database;
}

function openCopy(open: Open, request: MigrationRequest): ReadOnlyDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'relayflows-journal-'));
  const dispose = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'journal.sqlite3');
    copyConsistently(request.path, copy);
    const database = open(copy);
    migrate(database, { ...request, path: copy });
    return { database, dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

const COPY_ATTEMPTS = 10;

/** A checkpoint between the two copies would lose what it moved, so they are repeated until neither file changed meanwhile. */
function copyConsistently(from: string, to: string): void {
  for (let attempt = 1; ; attempt += 1) {
    const before = stamp(from);
    copyFileSync(from, to);
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`);
    if (attempt === COPY_ATTEMPTS || stamp(from) === before) return;
  }
}

function stamp(path: string): string {
  return [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })).map((stat) => `${stat?.size} ${stat?.mtimeMs}`).join();
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function uri(path: string, query: string): string {
  return `${pathToFileURL(path).href}?${query}`;
}
