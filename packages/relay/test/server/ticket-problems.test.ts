import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  await expect(world.run('APP-7')).rejects.toMatchObject({ code: 'run_unknown', text: `There is no run for ticket APP-7. ${ticketProblems[0]?.text}`, hint: ticketProblems[0]?.hint });
  // One that comes later tells that there was another look.
  world.ticket('APP-2');
  await world.until('APP-2', ({ state }) => state === 'completed');
  expect(world.log().match(/must be put right by a person/g)).toHaveLength(1);
  world.ticket('APP-7');
  await world.until('APP-7', ({ state }) => state === 'completed');
  expect((await world.client.call('getRepo', { params: { name: 'app' } })).ticketProblems).toEqual([]);
});

it('takes up a repository without a restart once what was in its way is gone', async () => {
  world = await new World({ build: [{ next: 'end' }] }).init();
  world.store('straight', STRAIGHT);
  rmSync(world.tickets, { recursive: true });
  server = await startServer({ home: world.home, env: process.env, version: '0', log: openServerLog({ path: world.home.serverLog }) });
  expect((await world.client.call('listWorkflows', {})).map(({ health }) => health)).toEqual(['blocked']);
  mkdirSync(world.tickets);
  world.ticket('APP-1');
  await world.until('APP-1', ({ state }) => state === 'completed');
  expect((await world.client.call('listWorkflows', {})).map(({ health }) => health)).toEqual(['healthy']);
  // And one that was in use and cannot be looked at says so.
  renameSync(world.tickets, `${world.tickets}-away`);
  const problem = async () => (await world.client.call('getRepo', { params: { name: 'app' } })).problem;
  await expect.poll(problem).toContain(world.tickets);
  expect((await world.client.call('health', {})).problems).toEqual([`Repository app: ${await problem()}`]);
  renameSync(`${world.tickets}-away`, world.tickets);
  await expect.poll(problem).toBeNull();
});

it('says of a repository that somebody wrote into config.yaml while it runs that it is used later', async () => {
  world = await new World({}).init();
  server = await startServer({ home: world.home, env: process.env, version: '0', log: openServerLog({ path: world.home.serverLog }) });
  const [byHand, registered] = ['by-hand', 'registered'].map((name) => {
    const path = join(world.folder, name);
    cpSync(world.repo, path, { recursive: true });
    mkdirSync(join(path, 'tickets'));
    return path;
  });
  writeFileSync(world.home.config, readFileSync(world.home.config, 'utf8').replace('repos:\n', `repos:\n  hand:\n    path: ${byHand}\n    taskConfig: { ticketsDir: tickets }\n`));
  await world.client.call('registerRepo', { body: { name: 'third', path: registered ?? '', values: { ticketsDir: 'tickets' } } });
  const problems = Object.fromEntries((await world.client.call('listRepos', {})).map(({ name, problem }) => [name, problem]));
  expect(problems).toEqual({ app: null, third: null, hand: expect.stringContaining('is used after the next start') });
});
