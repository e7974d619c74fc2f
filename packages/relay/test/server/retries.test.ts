import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { STRAIGHT, World } from './world.js';

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  world.remove();
});

async function serve(): Promise<void> {
  await server?.stop();
  server = await startServer({ home: world.home, env: process.env, version: '0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }) });
}

it('shows what is tried again, also after a restart, and shows nothing of it once it succeeded', async () => {
  world = await new World({ build: [{ waitFor: 'go', next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  await serve();
  const git = join(world.repo, '.git');
  renameSync(git, `${git}-away`);
  world.ticket('APP-1');
  const before = await world.until('APP-1', ({ retry }) => (retry?.attempt ?? 0) >= 2);
  expect(before).toMatchObject({ state: expect.stringMatching(/running|blocked/), conditions: { retryScheduled: true } });
  await serve();
  renameSync(`${git}-away`, git);
  const after = await world.until('APP-1', ({ state }) => state === 'waiting');
  expect([after.lastError, after.retry, after.attention, after.conditions.retryScheduled]).toEqual([null, null, null, false]);
  const entered = (await world.client.call('runLogs', { params: { key: 'APP-1' }, query: {} })).entries.map(({ text }) => text);
  expect(entered.filter((text) => text.startsWith('Entered build'))).toHaveLength(1);
  world.allow('go');
  await world.until('APP-1', ({ state }) => state === 'completed');
});

it('says once that a node was entered, however often that had to be tried', async () => {
  world = await new World({ build: [{ waitFor: 'go', next: 'review' }], review: [{ next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  await serve();
  world.ticket('APP-1');
  await world.until('APP-1', ({ currentNode, state }) => currentNode === 'build' && state === 'waiting');
  const git = join(world.repo, '.git');
  renameSync(git, `${git}-away`);
  world.allow('go');
  await world.until('APP-1', ({ currentNode, retry }) => currentNode === 'review' && (retry?.attempt ?? 0) >= 2);
  renameSync(`${git}-away`, git);
  await world.until('APP-1', ({ state }) => state === 'completed');
  const { entries } = await world.client.call('runLogs', { params: { key: 'APP-1' }, query: {} });
  expect(entries.filter(({ text }) => text === 'Entered review.')).toHaveLength(1);
});
