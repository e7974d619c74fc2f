import type { SqliteDatabase } from './database.js';

/**
 * Decides which SQLite engine a process uses, and loads only that one: the one built into Node where it is there without a flag and can return rows as
 * arrays (22.16, 23.11, 24.0 and later), a prebuilt native package elsewhere.
 */
export async function loadSqlite(): Promise<(path: string) => SqliteDatabase> {
  if (hasBuiltInSqlite(process.versions.node)) {
    const { nodeSqlite, openNodeDatabase } = await import('./node-engine.js');
    nodeSqlite();
    return openNodeDatabase;
  }
  const { libsqlBinding, openLibsqlDatabase } = await import('./libsql-engine.js');
  libsqlBinding();
  return openLibsqlDatabase;
}

export function hasBuiltInSqlite(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major === 22) return minor >= 16;
  if (major === 23) return minor >= 11;
  return major >= 24;
}
