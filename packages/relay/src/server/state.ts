import type { Clock, Journal } from '@relayflows/sdk';
import { openSqliteJournal, type HostDatabase } from '@relayflows/sdk/journal';
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

/** Opens state.db: the journal, and the tables beside it. With `recover` the old one is laid aside first, after everything that may refuse the start has been asked. */
export async function openState(args: { readonly home: Home; readonly recover: boolean; readonly clock: Clock }): Promise<OpenState> {
  const { home, recover, clock } = args;
  const laidAside = recover ? layDatabaseAside(home, clock.now()) : undefined;
  const journal = await openSqliteJournal({ path: home.database, gatherMs: GATHER_MS });
  try {
    return { journal, database: openRelayTables(home.database), laidAside };
  } catch (error) {
    await journal.close();
    throw error;
  }
}
