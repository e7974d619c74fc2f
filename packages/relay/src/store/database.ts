import { openDatabase, type HostDatabase } from '@relayflows/sdk/journal';
import { RelayError } from '../errors/relay-error.js';
import { RELAY_MIGRATIONS } from './schema.js';

/**
 * Opens the server's tables in state.db, which the journal has created, and brings them up to date: on a connection of their own, or on the one that is given.
 * Throws `home_unusable` for tables of a newer version.
 */
export function openRelayTables(path: string, database: HostDatabase = openDatabase(path)): HostDatabase {
  try {
    database.transaction(() => {
      database.exec('CREATE TABLE IF NOT EXISTS relay_schema (version INTEGER NOT NULL)');
      const row = database.prepare('SELECT version FROM relay_schema').get() as { readonly version: number } | undefined;
      const version = row?.version ?? 0;
      if (version > RELAY_MIGRATIONS.length) {
        throw new RelayError('home_unusable', `${path} was written by a newer version of relay-flow (tables of version ${version}; this one knows ${RELAY_MIGRATIONS.length}).`, { hint: 'Use the newer version.' });
      }
      for (const change of RELAY_MIGRATIONS.slice(version)) database.exec(change);
      if (row === undefined) database.prepare('INSERT INTO relay_schema (version) VALUES (?)').run(RELAY_MIGRATIONS.length);
      else if (version < RELAY_MIGRATIONS.length) database.prepare('UPDATE relay_schema SET version = ?').run(RELAY_MIGRATIONS.length);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
