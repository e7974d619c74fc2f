import { join } from 'node:path';
import type { Journal } from '../journal/port.js';

/** The name of the journal in the data directory. */
export const JOURNAL_FILE = 'journal.sqlite3';

/** Loads the database engine, which takes some milliseconds, while there is something else to wait for. Opens nothing; what is wrong with it shows when a journal is opened. */
export async function warmUpJournal(): Promise<void> {
  const [{ loadSqlite }] = await Promise.all([import('../journal/sqlite/driver.js'), import('../journal/sqlite/open.js')]);
  await loadSqlite().catch(() => undefined);
}

/** Opens the journal of a data directory, which is made when it is absent; with `readOnly` nothing is made or changed. */
export async function openJournal(args: { readonly dataDir: string; readonly readOnly: boolean }): Promise<Journal> {
  const { openSqliteJournal } = await import('../journal/sqlite/open.js');
  return openSqliteJournal({ path: join(args.dataDir, JOURNAL_FILE), readOnly: args.readOnly });
}
