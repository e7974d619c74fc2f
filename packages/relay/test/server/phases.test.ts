import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import type { RunRow } from '../../src/server/answers.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { REVIEW, World } from './world.js';

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  world.remove();
});

async function serve(): Promise<void> {
  server = await startServer({ home: world.home, env: process.env, version: '0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }) });
}

async function listed(): Promise<Readonly<Record<string, readonly [RunRow['state'], RunRow['phase']]>>> {
  return Object.fromEntries((await world.client.call('listRuns', {})).map(({ ticket, state, phase }) => [ticket.key, [state, phase] as const]));
}

it('tells agents at work, agents in line and people apart, in lists and in details', async () => {
  world = await new World({ build: [{ waitFor: 'go', next: 'check' }], check: [{ next: 'end' }] }).init();
  world.store('review', REVIEW);
  world.ticket('APP-1');
  await serve();
  await world.until('APP-1', ({ phase }) => phase === 'agent');
  expect(await listed()).toEqual({ 'APP-1': ['waiting', 'agent'] });
  world.allow('go');
  const asking = await world.until('APP-1', ({ phase }) => phase === 'person');
  expect(asking).toMatchObject({ state: 'waiting', conditions: { waiting: true }, attention: expect.stringContaining('`relay-flow run approve --ticket APP-1`') as string, proposal: { node: 'check' } });
  expect(await listed()).toEqual({ 'APP-1': ['waiting', 'person'] });
  expect(await world.client.call('approveRun', { params: { key: 'APP-1' }, body: {} })).toMatchObject({ phase: expect.stringMatching(/^(running|completed)$/) as string });
  expect(await world.until('APP-1', ({ state }) => state === 'completed')).toMatchObject({ phase: 'completed' });
});

it('an agent for which no place is free is in line', async () => {
  world = await new World({ build: [{ waitFor: 'go', next: 'check' }], check: [{ next: 'end' }] }).init();
  writeFileSync(world.home.config, readFileSync(world.home.config, 'utf8').replace('maxProcesses: 8', 'maxProcesses: 1'));
  world.store('review', REVIEW);
  world.ticket('APP-1');
  world.ticket('APP-2');
  await serve();
  await world.until('APP-1', ({ state }) => state === 'waiting');
  await world.until('APP-2', ({ state }) => state === 'waiting');
  expect(Object.values(await listed()).map(([, phase]) => phase).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['agent', 'queued']);
});

it('what is tried again by itself is not what waits for a person to put it right', async () => {
  world = await new World({ build: [{ waitFor: 'go', text: 'No report.' }] }).init();
  world.store('review', REVIEW);
  world.ticket('APP-1');
  await serve();
  await world.until('APP-1', ({ phase }) => phase === 'agent');
  const git = join(world.repo, '.git');
  renameSync(git, `${git}-away`);
  world.ticket('APP-2');
  expect(await world.until('APP-2', ({ retry }) => retry !== null)).toMatchObject({ phase: 'retrying' });
  renameSync(`${git}-away`, git);
  world.allow('go');
  const blocked = await world.until('APP-1', ({ phase }) => phase === 'blocked');
  expect(blocked).toMatchObject({ state: 'blocked', attention: expect.stringContaining('`relay-flow run reject --ticket APP-1 --reason "…"`') as string });
});
