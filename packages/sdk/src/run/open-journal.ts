import { join } from 'node:path';
import type { Journal } from '../journal/port.js';

/** The name of the journal in the data directory. */
export const JOURNAL_FILE = 'journal.sqlite3';

/** Opens the journal of a data directory, which is made when it is absent; with `readOnly` nothing is made or changed. */
export async function openJournal(args: { readonly dataDir: string; readonly readOnly: boolean }): Promise<Journal> {
  const { openSqliteJournal } = await import('../journal/sqlite/open.js');
  return openSqliteJournal({ path: join(args.dataDir, JOURNAL_FILE), readOnly: args.readOnly });
}
