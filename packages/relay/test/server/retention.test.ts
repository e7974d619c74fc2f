import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@relayflows/sdk';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, STRAIGHT, World } from './world.js';

const DAY_MS = 86_400_000;

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  world.remove();
});

async function serve(days: number): Promise<void> {
  await server?.stop();
  const clock = { ...systemClock, now: () => Date.now() + days * DAY_MS };
  server = await startServer({ home: world.home, env: process.env, version: '0', clock, log: openServerLog({ path: world.home.serverLog, level: 'debug' }) });
}

const unknown = { code: 'run_unknown' };

it('forgets runs that ended long ago, walks their tickets no more, and walks one again that a person opens', async () => {
  world = await new World({ build: [{ next: 'end' }] }, { completedRunRetentionDays: 30 }).init();
  world.store('straight', STRAIGHT);
  world.ticket('APP-1');
  await serve(0);
  await world.until('APP-1', ({ state }) => state === 'completed');
  await serve(29);
  expect((await world.run('APP-1')).state).toBe('completed');
  await serve(31);
  await expect(world.run('APP-1')).rejects.toMatchObject(unknown);
  // A ticket that is begun after it tells that the folder was looked at.
  world.ticket('APP-2');
  await world.until('APP-2', ({ state }) => state === 'completed');
  await expect(world.run('APP-1')).rejects.toMatchObject(unknown);
  expect(world.starts).toEqual(['APP-1 build 0', 'APP-2 build 0']);

  const file = join(world.tickets, 'APP-1.md');
  const opened = readFileSync(file, 'utf8').replace('status: Done', 'status: To Do');
  for (let tries = 0; tries < 3 && readFileSync(file, 'utf8').includes('Done'); tries += 1) {
    writeFileSync(file, opened);
    await new Promise((resolve) => setTimeout(resolve, 3_500));
  }
  // Nothing is known of the first attempt any more, its history included.
  expect(await world.until('APP-1', ({ state }) => state === 'completed')).toMatchObject({ attempt: 1 });
  expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(2);
}, 60_000);

it('says of a ticket that is opened while its run is still known that it is left alone', async () => {
  world = await new World({ build: [{ next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  world.ticket('APP-1');
  await serve(0);
  await world.until('APP-1', ({ state }) => state === 'completed');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  world.ticket('APP-1');
  for (let tries = 0; tries < 100 && !world.log().includes('its run has ended well'); tries += 1) {
    if (world.read('APP-1.md').includes('Done')) world.ticket('APP-1');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(world.log().match(/its run has ended well/g)).toHaveLength(1);
  expect(world.starts).toHaveLength(1);
}, 60_000);
