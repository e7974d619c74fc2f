import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, REVIEW, STRAIGHT, World } from './world.js';

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  world.remove();
});

async function serve(): Promise<void> {
  server = await startServer({ home: world.home, env: process.env, version: '0.0.0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }) });
}

const worktree = (): string => join(world.home.root, 'worktrees', 'app', 'APP-1');

it('a workspace that somebody removed while a person thought is made again for the agent whose report was sent back', async () => {
  world = await new World({ build: [{ next: 'check' }], check: [{ next: 'end' }] }).init();
  world.store('review', REVIEW);
  await serve();
  world.ticket('APP-1');
  const first = await world.until('APP-1', ({ proposal }) => proposal !== null);
  rmSync(worktree(), { recursive: true });
  await world.client.call('rejectRun', { params: { key: 'APP-1' }, body: { reason: 'Say more.' } });
  const second = await world.until('APP-1', ({ proposal }) => proposal !== null && proposal.reportId !== first.proposal?.reportId);
  expect(existsSync(join(worktree(), 'README.md'))).toBe(true);
  expect(world.starts).toEqual(['APP-1 build 0', 'APP-1 check 0', 'APP-1 check 1']);
  await world.client.call('approveRun', { params: { key: 'APP-1' }, body: { reportId: second.proposal?.reportId ?? '' } });
  await world.until('APP-1', ({ state }) => state === 'completed');
});

it('a workspace that is gone when the server starts is made again for the visit that goes on', async () => {
  world = await new World({ build: [{ waitFor: 'go', next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  await serve();
  world.ticket('APP-1');
  await world.until('APP-1', () => world.starts.length === 1);
  await server?.stop();
  rmSync(worktree(), { recursive: true });
  await serve();
  world.allow('go');
  await world.until('APP-1', ({ state }) => state === 'completed');
  expect(existsSync(join(worktree(), 'README.md'))).toBe(true);
  expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(1);
});
