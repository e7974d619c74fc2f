import { spawn } from 'node:child_process';
import { join } from 'node:path';
// The floor must use the engine that the journal uses; which one that is, is not public.
import { loadSqlite } from '../../packages/sdk/dist/journal/sqlite/driver.js';
import { spawned } from './children/process.js';

let databases = 0;

/** Commits per second, each of one small row and each fsynced, through the engine of the journal. */
export async function commitsPerSecond(folder: string, commits: number): Promise<number> {
  databases += 1;
  const database = (await loadSqlite())(join(folder, `floor-${databases}.sqlite3`));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (id INTEGER PRIMARY KEY, value TEXT NOT NULL);');
  const insert = database.prepare('INSERT INTO row (value) VALUES (?)');
  insert.run(['warm-up']);
  const started = performance.now();
  for (let index = 0; index < commits; index += 1) insert.run(['0b5b6e0a-8f0e-4f57-b1c7-6f6b7f6f4c11']);
  const seconds = (performance.now() - started) / 1_000;
  database.close();
  return commits / seconds;
}

/** Shells per second, one after the other, from this process: `/bin/sh -c true` with both streams piped and read. */
export async function shellsPerSecond(shells: number): Promise<number> {
  const started = performance.now();
  for (let index = 0; index < shells; index += 1) await bareShell();
  return (shells * 1_000) / (performance.now() - started);
}

function bareShell(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

/** Milliseconds of a whole process of Node that does nothing. */
export async function bareNodeMs(): Promise<number> {
  return (await spawned(['-e', '0'])).ms;
}

/** The peak memory of a process of Node that does nothing, in MiB. */
export async function bareNodeMiB(): Promise<number> {
  const { output } = await spawned(['-e', 'process.stdout.write(String(process.resourceUsage().maxRSS))']);
  return Number(output) / 1_024;
}
