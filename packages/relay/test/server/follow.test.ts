import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import { untilAnswered } from '../../src/commands/serve/until-answered.js';
import type { RunLogEntry } from '../../src/server/api.js';
import { launch } from '../commands/launched.js';
import { clearAway, drive, serve } from './killed-server.js';
import { REVIEW, World } from './world.js';

afterEach(clearAway);

const WAITING = /The server does not answer any more\. This goes on when it is back; Ctrl-C ends it\.\n/;

async function begun(): Promise<World> {
  const world = await new World({ build: [{ waitFor: 'go', next: 'check' }], check: [{ next: 'end' }] }).init();
  world.store('review', REVIEW);
  world.ticket('APP-1');
  return world;
}

/** What the run did, and what agents wrote: the time of their output is that of its file, which is another one later. */
function told(entries: readonly RunLogEntry[]): object {
  const wrote = new Map<string, string>();
  for (const { nodeVisitId, stream, text } of entries) if (stream !== 'engine') wrote.set(`${nodeVisitId} ${stream}`, `${wrote.get(`${nodeVisitId} ${stream}`) ?? ''}${text}\n`);
  return { engine: entries.filter(({ stream }) => stream === 'engine'), wrote: Object.fromEntries([...wrote].toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

it('a follower waits for a killed server, says so once, and loses and doubles nothing', async () => {
  const world = await begun();
  const server = await serve(world);
  await world.until('APP-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'build');
  const follower = launch(world.home, ['run', 'logs', '--ticket', 'APP-1', '--follow', '--json']);
  await follower.printed(/"node":"build"/);
  const died = once(server, 'exit');
  server.kill('SIGKILL');
  await Promise.all([died, follower.printed(WAITING)]);
  const again = await serve(world);
  world.allow('go');
  expect(await drive(world, again, 'APP-1')).toMatchObject({ state: 'completed' });
  const { status, stdout, stderr } = await follower.ended;
  expect(status).toBe(0);
  expect(stderr.match(new RegExp(WAITING, 'g'))).toHaveLength(1);
  expect(stderr.replace(WAITING, '')).toBe('');
  const { entries } = await world.client.call('runLogs', { params: { key: 'APP-1' }, query: {} });
  const followed = stdout.trim().split('\n').map((line) => JSON.parse(line) as RunLogEntry);
  expect(told(followed)).toEqual(told(entries));
  expect(entries.length).toBeGreaterThan(5);
});

it('goes on after a recovery, whose log begins anew', async () => {
  const world = await begun();
  const server = await serve(world);
  await world.until('APP-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'build');
  const { next } = await world.client.call('runLogs', { params: { key: 'APP-1' }, query: {} });
  const stopped = once(server, 'exit');
  server.kill('SIGTERM');
  await stopped;
  const recovery = launch(world.home, ['serve', '--recover']);
  try {
    await recovery.printed(/began anew/);
    await world.until('APP-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'build');
    const all = await world.client.call('runLogs', { params: { key: 'APP-1' }, query: {} });
    const { entries } = await world.client.call('runLogs', { params: { key: 'APP-1' }, query: { after: next } });
    expect(entries.map(({ text }) => text)).toEqual(all.entries.map(({ text }) => text));
  } finally {
    recovery.child.kill('SIGTERM');
    await recovery.ended;
  }
});

it.each([['SIGINT', 130], ['SIGTERM', 143]] as const)('%s ends it with what was shown, also while no server is there', async (signal, expected) => {
  const world = await begun();
  const server = await serve(world);
  await world.until('APP-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'build');
  const [first, second] = [0, 1].map(() => launch(world.home, ['run', 'logs', '--ticket', 'APP-1', '--follow']));
  await Promise.all([first?.printed(/build/), second?.printed(/build/)]);
  first?.child.kill(signal);
  expect(await first?.ended).toMatchObject({ status: expected, stderr: '' });
  server.kill('SIGTERM');
  await second?.printed(WAITING);
  second?.child.kill(signal);
  expect(await second?.ended).toMatchObject({ status: expected, stderr: expect.stringMatching(new RegExp(`^${WAITING.source}$`)) as string });
});

it('ends when its reader has gone', async () => {
  const world = await begun();
  await serve(world);
  await world.until('APP-1', ({ state, currentNode }) => state === 'waiting' && currentNode === 'build');
  const follower = launch(world.home, ['run', 'logs', '--ticket', 'APP-1', '--follow']);
  await follower.printed(/build/);
  follower.child.stdout?.destroy();
  world.allow('go');
  expect(await follower.ended).toMatchObject({ status: 0, stderr: '' });
  // The report of check waits for a person, so the run has not ended.
  await world.until('APP-1', ({ proposal }) => proposal !== null);
});

it('what no waiting mends is said at once', async () => {
  const refused = [new RelayError('server_unreachable', 'Not yours.', { evidence: { errno: 'EACCES' } }), new RelayError('run_unknown', 'Unknown.'), new TypeError('A bug.')];
  for (const error of refused) await expect(untilAnswered({ ask: () => Promise.reject(error), io: { err: { write: expect.unreachable } as never }, signal: new AbortController().signal })).rejects.toBe(error);
});
