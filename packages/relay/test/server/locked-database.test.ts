import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import type { Runner } from '../../src/runner/port.js';
import { createWorktreeRunner } from '../../src/runner/worktree/worktree-runner.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, STRAIGHT, World } from './world.js';

let world: World;
let server: RunningServer | undefined;
let holder: ChildProcess | undefined;

afterEach(async () => {
  holder?.kill('SIGKILL');
  await server?.stop();
  world.remove();
});

/** Another process that holds the database for longer than a write waits. */
async function holdDatabase(): Promise<void> {
  const script = `import { openDatabase } from '@relayflows/sdk/journal';
const database = openDatabase(${JSON.stringify(world.home.database)});
database.exec('BEGIN IMMEDIATE');
console.log('held');
setTimeout(() => { database.exec('ROLLBACK'); process.exit(); }, 20000);`;
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
  const run = await world.until('APP-1', ({ state }) => state === 'completed', 100_000);
  expect(world.log()).toContain('the journal failed it');
  expect([run.lastError, run.retry, run.attention]).toEqual([null, null, null]);
  expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(1);
}, 200_000);
