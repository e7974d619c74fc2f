import { rm } from 'node:fs/promises';
import type { Journal } from '@relayflows/sdk';
import { runLogFolder } from '../harness/headless/turn-log.js';
import type { Home } from '../host/home.js';
import type { Workshop } from './workshop.js';

const DAY_MS = 86_400_000;

/**
 * Deletes runs that ended long ago, with their histories and logs, once when the server starts. The ticket itself keeps its comments and its last state, which keep it
 * from being walked again.
 */
export async function deleteOldRuns(shop: Workshop, home: Home, journal: Pick<Journal, 'remove'>): Promise<number> {
  const { store, clock, config } = shop;
  const old = store.endedBefore(clock.now() - config.completedRunRetentionDays * DAY_MS);
  if (old.length === 0) return 0;
  // The row goes last: without it nobody would know that there is something to delete.
  await journal.remove({ runIds: old });
  for (const id of old) {
    await rm(runLogFolder(home.root, id), { recursive: true, force: true });
    store.deleteRun(id);
  }
  return old.length;
}
