import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSqlite } from '../../../packages/sdk/dist/journal/sqlite/driver.js';
import { assertEnded, noops, runtimeFor } from '../flows.js';
import type { Workload } from '../workload.js';

const STEPS = 1_000;
const UUID_BYTES = 36;

async function journalKiB(folder: string): Promise<number> {
  const dataDir = await mkdtemp(join(folder, 'store-'));
  const runtime = runtimeFor(dataDir, noops);
  assertEnded(await runtime.run('noops', { input: { steps: STEPS }, cwd: folder }).result, 'success');
  await runtime.close();
  const database = (await loadSqlite())(join(dataDir, 'journal.sqlite3'));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  let bytes = 0;
  for (const file of await readdir(dataDir, { recursive: true, withFileTypes: true })) if (file.isFile()) bytes += (await stat(join(file.parentPath, file.name))).size;
  return bytes / 1_024;
}

export const storeKiB: Workload = {
  key: 'storeKiB',
  title: 'data directory after 1,000 no-op steps and a checkpoint',
  unit: 'KiB',
  floorTitle: 'the recorded values',
  target: { of: 'value', direction: 'at most', limit: 200 },
  rounds: 1,
  measure: async (folder) => ({ value: await journalKiB(folder), floor: (STEPS * UUID_BYTES) / 1_024 }),
};
