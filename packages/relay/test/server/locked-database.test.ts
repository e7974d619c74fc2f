import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import type { Runner } from '../../src/runner/port.js';
import { createWorktreeRunner } from '../../src/runner/worktree/worktree-runner.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, STRAIGHT, World } from './world.js';

/** What the log says of a run whose write waited in vain. */
const FAILED = 'the journal failed it';

let world: World;
let server: RunningServer | undefined;
let holder: ChildProcess | undefined;

afterEach(async () => {
  holder?.kill('SIGKILL');
  await server?.stop();
  world.remove();
});

/** Another process that holds the database until the server has told that a write waited in vain. */
async function holdDatabase(): Promise<void> {
  const script = `import { existsSync, readFileSync } from 'node:fs';
import { openDatabase } from '@relayflows/sdk/journal';
const database = openDatabase(${JSON.stringify(world.home.database)});
database.exec('BEGIN IMMEDIATE');
console.log('held');
const log = ${JSON.stringify(world.home.serverLog)};
setInterval(() => {
  if (!existsSync(log) || !readFileSync(log, 'utf8').includes(${JSON.stringify(FAILED)})) return;
  database.exec('ROLLBACK');
  process.exit();
}, 50);`;
  holder = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  if (holder.stdout !== null) await once(holder.stdout, 'data');
}

it('goes on by itself when the journal could not be written for a while (pitfall 48)', async () => {
  world = await new World({ build: [{ next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  const real = createWorktreeRunner({ home: world.home.root, config: {}, env: process.env });
  let held = false;
  const runner: Runner = {
    ...real,
    setStatus: async (args) => {
      if (!held) {
        held = true;
        await holdDatabase();
      }
      await real.setStatus(args);
    },
  };
  server = await startServer({ home: world.home, env: process.env, version: '0', adapters: { runner }, log: openServerLog({ path: world.home.serverLog, level: 'debug' }) });
  world.ticket('APP-1');
  const run = await world.until('APP-1', ({ state }) => state === 'completed');
  expect(world.log()).toContain(FAILED);
  expect([run.lastError, run.retry, run.attention]).toEqual([null, null, null]);
  expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(1);
});
