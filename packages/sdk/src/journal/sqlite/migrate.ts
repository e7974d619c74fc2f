import { fault } from '../../faults/fault.js';
import type { SqliteDatabase } from './database.js';
import { journalCorrupt, journalNewer } from './failures.js';
import { APPLICATION_ID } from './schema.js';

export interface MigrationRequest {
  readonly path: string;
  /** See `MIGRATIONS`. */
  readonly migrations: readonly string[];
}

/**
 * Brings a journal to the newest schema, one transaction per version; an empty file becomes a journal the same way. Killed at any point, it leaves a
 * file of one version or the next.
 *
 * The first transaction happens before the switch to WAL, so that the file itself says what it is from then on, whether or not its WAL is beside it.
 */
export function migrate(database: SqliteDatabase, { path, migrations }: MigrationRequest): void {
  if (versionOf(database) > migrations.length) throw journalNewer(path, versionOf(database), migrations.length);
  if (versionOf(database) === 0) migrateOnce(database, 0, migrations);
  database.exec('PRAGMA journal_mode = WAL');
  for (let version = versionOf(database); version < migrations.length; version = versionOf(database)) migrateOnce(database, version, migrations);
}

/**
 * Refuses what is no journal or a newer one, before anything is done to it. `database` is a file that is not empty, without its WAL: a journal says what
 * it is in the file itself from its first commit on.
 */
export function checkIdentity(database: SqliteDatabase, { path, migrations }: MigrationRequest): void {
  if (pragma(database, 'application_id') !== APPLICATION_ID) throw journalCorrupt(path, 'it belongs to another application');
  if (versionOf(database) > migrations.length) throw journalNewer(path, versionOf(database), migrations.length);
}

export function versionOf(database: SqliteDatabase): number {
  return pragma(database, 'user_version');
}

function migrateOnce(database: SqliteDatabase, version: number, migrations: readonly string[]): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it while this one waited for the lock.
    if (versionOf(database) === version) {
      database.exec(migrations[version] as string);
      fault('journal.migration.inside');
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.exec(`PRAGMA user_version = ${version + 1}`);
    }
    fault('journal.migration.before-commit');
    database.exec('COMMIT');
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself; the failure being handled tells more than this one.
    }
    throw error;
  }
}

function pragma(database: SqliteDatabase, name: string): number {
  return database.prepare(`PRAGMA ${name}`).rows([])[0]?.[0] as number;
}
