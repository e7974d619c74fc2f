import { systemClock } from '@relayflows/sdk';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, STRAIGHT, World } from './world.js';

const DAY_MS = 86_400_000;
const LEFT = 'its run has ended well';

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

  const opened = world.read('APP-1.md').replace('status: Done', 'status: To Do');
  // The first time it may be taken for an old save that was written over it.
  while (await world.run('APP-1').then(() => false, () => true)) {
    if (world.read('APP-1.md').includes('status: Done')) world.save('APP-1', opened);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // Nothing is known of the first attempt any more, its history included.
  expect(await world.until('APP-1', ({ state }) => state === 'completed')).toMatchObject({ attempt: 1 });
  expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(2);
});

it('says of a ticket that is opened while its run is still known that it is left alone', async () => {
  world = await new World({ build: [{ next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  world.ticket('APP-1');
  await serve(0);
  await world.until('APP-1', ({ state }) => state === 'completed');
  while (!world.log().includes(LEFT)) {
    if (world.read('APP-1.md').includes('status: Done')) world.ticket('APP-1');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // One that comes later tells that there was another look.
  world.ticket('APP-2');
  await world.until('APP-2', ({ state }) => state === 'completed');
  expect(world.log().split(LEFT)).toHaveLength(2);
  expect(world.starts).toEqual(['APP-1 build 0', 'APP-2 build 0']);
});
