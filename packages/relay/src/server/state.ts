import { isFlowsError, type Clock, type Journal } from '@relayflows/sdk';
import { openSqliteJournal, type HostDatabase } from '@relayflows/sdk/journal';
import { RelayError } from '../errors/relay-error.js';
import type { Home } from '../host/home.js';
import { openRelayTables } from '../store/database.js';
import { layDatabaseAside } from './recover.js';

/** Runs of many tickets wait for the disk together. Each step of a run waits for so many milliseconds at most. */
const GATHER_MS = 3;

export interface OpenState {
  readonly journal: Journal;
  readonly database: HostDatabase;
  /** The name that the old database got. */
  readonly laidAside: string | undefined;
}

/**
 * Opens state.db: the journal, and the tables beside it. With `recover` the old one is laid aside first, after everything that may refuse the start has been asked.
 * Throws `home_unusable` when it is damaged, of a newer version, or cannot be opened.
 */
export async function openState(args: { readonly home: Home; readonly recover: boolean; readonly clock: Clock }): Promise<OpenState> {
  const { home, recover, clock } = args;
  const laidAside = recover ? layDatabaseAside(home, clock.now()) : undefined;
  try {
    const journal = await openSqliteJournal({ path: home.database, gatherMs: GATHER_MS });
    try {
      return { journal, database: openRelayTables(home.database, journal.tables()), laidAside };
    } catch (error) {
      await journal.close();
      throw error;
    }
  } catch (cause) {
    throw isFlowsError(cause) ? unusable(home, cause) : cause;
  }
}

/** What the engine says, with what is to be done about it here. */
function unusable({ database }: Home, cause: { readonly code: string; readonly text: string; readonly hint?: string }): RelayError {
  const hint = cause.code === 'journal_corrupt' ? 'Restore it from a backup. If there is none, `relay-flow serve --recover` lays it aside and begins the runs of all claimed tickets anew.' : cause.hint;
  return new RelayError('home_unusable', cause.text, { ...(hint === undefined ? {} : { hint }), evidence: { path: database, reason: cause.code }, cause });
}
