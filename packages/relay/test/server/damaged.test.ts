import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, REVIEW, World } from './world.js';

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  world.remove();
});

async function serve(options: { readonly recover?: boolean } = {}): Promise<RunningServer> {
  server = undefined;
  server = await startServer({ home: world.home, env: process.env, version: '0.0.0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }), ...options });
  return server;
}

const DAMAGES: readonly [string, (database: string) => void][] = [
  ['something else', (database) => writeFileSync(database, 'This is no database. '.repeat(1_000))],
  ['cut off', (database) => truncateSync(database, 10_000)],
];

it.each(DAMAGES)('a database that is %s is left alone, with the way out said; recovery lays it aside and doubles no mailbox', async (_, damage) => {
  world = await new World({ build: [{ next: 'check' }, { next: 'check' }], check: [{ next: 'end' }] }).init();
  world.store('review', REVIEW);
  await serve();
  world.ticket('APP-1');
  await world.until('APP-1', ({ proposal }) => proposal !== null);
  await server?.stop();
  for (const suffix of ['-wal', '-shm']) rmSync(`${world.home.database}${suffix}`, { force: true });
  damage(world.home.database);
  await expect(serve()).rejects.toMatchObject({ code: 'home_unusable', text: expect.stringContaining('is damaged'), hint: expect.stringContaining('relay-flow serve --recover') });
  const { recovered } = await serve({ recover: true });
  expect(recovered).toMatchObject({ recovered: 1, failed: 0 });
  expect(existsSync(recovered?.laidAside ?? '')).toBe(true);
  const waiting = await world.until('APP-1', ({ proposal }) => proposal !== null);
  await world.client.call('approveRun', { params: { key: 'APP-1' }, body: { reportId: waiting.proposal?.reportId ?? '' } });
  await world.until('APP-1', ({ state }) => state === 'completed');
  expect(readdirSync(join(world.tickets, 'APP-1')).sort()).toEqual(['build.md', 'check.md']);
  // Of the run that was lost, and of the one that took its place.
  expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(2);
  expect(markersIn(world.read('APP-1', 'check.md'), 'summary')).toHaveLength(1);
});
