import { rm } from 'node:fs/promises';
import { runLogFolder } from '../harness/headless/turn-log.js';
import type { Home } from '../host/home.js';
import type { Workshop } from './workshop.js';

const DAY_MS = 86_400_000;

/** Deletes runs that ended long ago, once when the server starts. The ticket itself keeps its comments and its last state, which keep it from being walked again. */
export async function deleteOldRuns(shop: Workshop, home: Home): Promise<number> {
  const { store, clock, config } = shop;
  const deleted = store.deleteEndedBefore(clock.now() - config.completedRunRetentionDays * DAY_MS);
  for (const id of deleted) await rm(runLogFolder(home.root, id), { recursive: true, force: true });
  return deleted.length;
}
