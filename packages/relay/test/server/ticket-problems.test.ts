import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { STRAIGHT, World } from './world.js';

let world: World;
let server: RunningServer | undefined;

afterEach(async () => {
  await server?.stop();
  world.remove();
});

it('tells what keeps a ticket from being worked on: once in the log, and with the repository for as long as it stays', async () => {
  world = await new World({ build: [{ next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  writeFileSync(join(world.tickets, 'APP-7.md'), '---\ntitle: [\n---\n');
  world.ticket('APP-1');
  server = await startServer({ home: world.home, env: process.env, version: '0', log: openServerLog({ path: world.home.serverLog }) });
  await world.until('APP-1', ({ state }) => state === 'completed');
  const { ticketProblems, problem } = await world.client.call('getRepo', { params: { name: 'app' } });
  expect(problem).toBeNull();
  expect(ticketProblems.map(({ where }) => where)).toEqual([expect.stringContaining('APP-7.md')]);
  expect((await world.client.call('health', {})).problems.join(' ')).toContain('APP-7.md');
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  expect(world.log().match(/must be put right by a person/g)).toHaveLength(1);
  world.ticket('APP-7');
  await world.until('APP-7', ({ state }) => state === 'completed');
  expect((await world.client.call('getRepo', { params: { name: 'app' } })).ticketProblems).toEqual([]);
});
