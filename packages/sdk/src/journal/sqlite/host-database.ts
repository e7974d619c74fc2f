import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SqliteDatabase } from './database.js';
import { hasBuiltInSqlite } from './driver.js';
import { journalFailure, journalUnavailable } from './failures.js';
import { BUSY_TIMEOUT_MS, OpenDatabase, type HostDatabase } from './host-tables.js';
import { openLibsqlDatabase } from './libsql-engine.js';
import { openNodeDatabase } from './node-engine.js';
import { APPLICATION_ID } from './schema.js';

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
      return new OpenDatabase({ database, path: absolute, close: () => database.close() });
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
