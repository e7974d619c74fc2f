import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { hurried } from './recorded.js';
import { STRAIGHT, World } from './world.js';

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  world.remove();
});

async function waiting(): Promise<void> {
  world = await new World({ build: [{ waitFor: 'never' }] }).init();
  world.store('straight', STRAIGHT);
  await serve();
  world.ticket('APP-1');
  await world.until('APP-1', ({ state }) => state === 'waiting');
}

async function serve(): Promise<void> {
  await server?.stop();
  const clock = hurried((ms) => (ms === 15_000 ? 50 : ms));
  server = await startServer({ home: world.home, env: process.env, version: '0', clock, log: openServerLog({ path: world.home.serverLog, level: 'debug' }) });
}

const cancel = () => world.client.call('cancelRun', { params: { key: 'APP-1' }, body: { reason: 'it is gone' } });

it('ends a run whose ticket was deleted, though nothing can be said there', async () => {
  await waiting();
  rmSync(join(world.tickets, 'APP-1.md'));
  expect(await cancel()).toMatchObject({ state: 'canceled', lastError: 'it is gone' });
});

it('ends a run whose repository was taken out of config.yaml', async () => {
  await waiting();
  await server?.stop();
  writeFileSync(world.home.config, readFileSync(world.home.config, 'utf8').replace(/repos:[^]*/, 'repos: {}\n'));
  await serve();
  expect(await cancel()).toMatchObject({ state: 'canceled' });
});

it('shows what is in its way while the ticket cannot be written, and ends once it can', async () => {
  await waiting();
  const file = join(world.tickets, 'APP-1.md');
  writeFileSync(file, 'no front matter');
  const row = await cancel();
  expect(row.state).toBe('canceling');
  expect((await world.run('APP-1')).lastError).toContain('APP-1.md');
  world.ticket('APP-1');
  await world.until('APP-1', ({ state }) => state === 'canceled');
  expect(world.read('APP-1.md')).toContain('Run canceled: it is gone');
});
