import { join } from 'node:path';
import type { Journal } from '../journal/port.js';

/** The name of the journal in the data directory. */
export const JOURNAL_FILE = 'journal.sqlite3';

/** Opens the journal of a data directory, which is made when it is absent. */
export async function openJournal(dataDir: string): Promise<Journal> {
  const { openSqliteJournal } = await import('../journal/sqlite/open.js');
  return openSqliteJournal({ path: join(dataDir, JOURNAL_FILE) });
}
