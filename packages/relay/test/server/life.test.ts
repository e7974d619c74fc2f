import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, REVIEW, STRAIGHT, World } from './world.js';

const open = new Map<World, RunningServer | undefined>();

afterEach(async () => {
  for (const [world, server] of open) {
    await server?.stop();
    world.remove();
  }
  open.clear();
});

async function serve(world: World, options: { readonly recover?: boolean } = {}): Promise<RunningServer> {
  const server = await startServer({ home: world.home, env: process.env, version: '0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }), ...options });
  open.set(world, server);
  return server;
}

async function stop(world: World): Promise<void> {
  await open.get(world)?.stop();
  open.set(world, undefined);
}

describe('a server', () => {
  it('keeps what is its owner\'s from everybody else', async () => {
    const world = await new World({}).init();
    await serve(world);
    const mode = (path: string): number => statSync(path).mode & 0o777;
    expect(mode(world.home.root)).toBe(0o700);
    for (const path of [world.home.config, world.home.database, world.home.socket, world.home.serverLog, world.home.lock]) expect([path, mode(path)]).toEqual([path, 0o600]);
    await stop(world);
    expect(existsSync(world.home.socket)).toBe(false);
  });

  it('says why it does not start: no database, a harness that cannot be found, a newer database', async () => {
    const world = new World({});
    open.set(world, undefined);
    await expect(serve(world)).rejects.toMatchObject({ code: 'database_missing' });
    const other = await new World({}, { harnessConfig: { command: ['no-such-agent-anywhere'] } }).init();
    open.set(other, undefined);
    await expect(serve(other)).rejects.toMatchObject({ code: 'harness_missing' });
    // Nothing holds the home afterwards.
    writeFileSync(other.home.config, readFileSync(other.home.config, 'utf8').replace('no-such-agent-anywhere', process.execPath));
    await serve(other);
  });

  it('works without a repository that cannot be opened, and says so', async () => {
    const world = await new World({ build: [{ next: 'end' }] }).init();
    world.store('straight', STRAIGHT);
    rmSync(world.tickets, { recursive: true });
    await serve(world);
    const { problems } = await world.client.call('health', {});
    expect(problems.join(' ')).toContain('Repository app:');
    expect((await world.client.call('getRepo', { params: { name: 'app' } })).problem).toContain(world.tickets);
  });
});

describe('a stored workflow', () => {
  it('that was edited on disk takes no tickets until it is submitted again (pitfall 38)', async () => {
    const world = await new World({ build: [{ next: 'end' }] }).init();
    await serve(world);
    await world.client.call('submitWorkflow', { body: STRAIGHT });
    await stop(world);
    const file = join(world.home.workflows, 'straight.yaml');
    appendFileSync(file, '# a remark\n');
    world.ticket('APP-1');
    const looks = (): number => world.log().split('"polled"').length;
    const before = looks();
    await serve(world);
    await expect.poll(looks).toBeGreaterThan(before + 1);
    await expect(world.run('APP-1')).rejects.toMatchObject({ code: 'run_unknown' });
    const [summary] = await world.client.call('listWorkflows', {});
    expect(summary).toMatchObject({ name: 'straight', health: 'outdated', repair: `relay-flow workflow submit --file ${file}` });
    await world.client.call('submitWorkflow', { body: readFileSync(file, 'utf8') });
    await world.until('APP-1', ({ state }) => state === 'completed');
  });

  it('that is broken keeps no other from its work (pitfall 39)', async () => {
    const world = await new World({ build: [{ next: 'end' }] }).init();
    world.store('straight', STRAIGHT);
    writeFileSync(join(world.home.workflows, 'broken.yaml'), 'name: [');
    world.ticket('APP-1');
    await serve(world);
    await world.until('APP-1', ({ state }) => state === 'completed');
    const all = await world.client.call('listWorkflows', {});
    expect(all.map(({ name, health }) => [name, health])).toEqual([['broken', expect.stringMatching(/blocked|unverified/)], ['straight', 'healthy']]);
  });

  it('is refused whole: unknown repositories, and a busy workflow stays as it is (pitfall 50)', async () => {
    const world = await new World({ build: [{ waitFor: 'go', next: 'end' }] }).init();
    await serve(world);
    await expect(world.client.call('submitWorkflow', { body: STRAIGHT.replace('[app]', '[app, other]') })).rejects.toMatchObject({ code: 'repo_unknown' });
    expect(readdirSync(world.home.workflows)).toEqual([]);
    await world.client.call('submitWorkflow', { body: STRAIGHT });
    world.ticket('APP-1');
    await world.until('APP-1', ({ state }) => state === 'waiting');
    await expect(world.client.call('submitWorkflow', { body: `${STRAIGHT}# another\n` })).rejects.toMatchObject({ code: 'workflow_busy' });
    await expect(world.client.call('removeWorkflow', { params: { name: 'straight' } })).rejects.toMatchObject({ code: 'workflow_busy' });
    await expect(world.client.call('removeRepo', { params: { name: 'app' } })).rejects.toMatchObject({ code: 'repo_busy' });
    expect(readFileSync(join(world.home.workflows, 'straight.yaml'), 'utf8')).toBe(STRAIGHT);
    world.allow('go');
    await world.until('APP-1', ({ state }) => state === 'completed');
    await world.client.call('removeWorkflow', { params: { name: 'straight' } });
    expect(await world.client.call('listWorkflows', {})).toEqual([]);
  });

  it('with settings that name what does not exist is refused', async () => {
    const world = await new World({}).init();
    await serve(world);
    const wrong = STRAIGHT.replace('    agent: coder\n', '    agent: coder\n    taskConfig: { filters: { labels: "bug" } }\n');
    await expect(world.client.call('submitWorkflow', { body: wrong })).rejects.toMatchObject({ code: 'task_config_invalid' });
  });
});

describe('repositories', () => {
  it('that are registered while the server runs are polled at once (pitfall 43)', async () => {
    const world = await new World({ build: [{ next: 'end' }] }, { repos: {}, pollIntervalSeconds: 3_600 }).init();
    await serve(world);
    world.ticket('APP-1');
    await world.client.call('registerRepo', { body: { name: 'app', path: world.repo, values: { ticketsDir: world.tickets } } });
    await expect(world.client.call('registerRepo', { body: { name: 'again', path: world.repo, values: { ticketsDir: world.tickets } } })).rejects.toMatchObject({ code: 'repo_invalid' });
    await world.client.call('submitWorkflow', { body: STRAIGHT });
    await world.until('APP-1', ({ state }) => state === 'completed');
    expect(readFileSync(world.home.config, 'utf8')).toContain(world.repo);
    await world.client.call('removeWorkflow', { params: { name: 'straight' } });
    await world.client.call('removeRepo', { params: { name: 'app' } });
    expect(await world.client.call('listRepos', {})).toEqual([]);
  });
});

describe('tickets', () => {
  it('that fit two workflows are taken by none', async () => {
    const world = await new World({ build: [{ next: 'end' }] }).init();
    world.store('straight', STRAIGHT);
    world.store('review', REVIEW);
    world.ticket('APP-1');
    await serve(world);
    const told = (key: string): number => world.log().split('\n').filter((line) => line.includes('several workflows fit') && line.includes(`"${key}"`)).length;
    await expect.poll(() => told('APP-1')).toBe(1);
    // One that comes later tells that there was another look.
    world.ticket('APP-2');
    await expect.poll(() => told('APP-2')).toBe(1);
    expect(['APP-1', 'APP-2'].map((key) => [told(key), world.read(`${key}.md`).includes('wf:')])).toEqual([[1, false], [1, false]]);
  });

  it('are picked up by filters, blocked ones only when they are free', async () => {
    const world = await new World({ build: [{ next: 'end' }] }).init();
    world.store('straight', STRAIGHT.replace('repos: [app]', 'repos: [app]\ntaskConfig: { filters: { labels: [ready] } }'));
    world.ticket('APP-1', { labels: ['ready'] });
    world.ticket('APP-2', { labels: ['ready'], blockedBy: ['APP-1'] });
    world.ticket('APP-3');
    await serve(world);
    await world.until('APP-2', ({ state }) => state === 'completed');
    expect(world.starts).toEqual(['APP-1 build 0', 'APP-2 build 0']);
    expect(world.read('APP-3.md')).not.toContain('wf:');
  });

  it('of one folder are not walked twice by two servers', async () => {
    const one = await new World({ build: [{ next: 'end', sleepMs: 100 }] }).init();
    const two = await new World({ build: [{ next: 'end', sleepMs: 100 }] }, { repos: { app: { path: one.repo, taskConfig: { ticketsDir: one.tickets } } } }).init();
    for (const world of [one, two]) world.store('straight', STRAIGHT);
    for (let index = 1; index <= 5; index += 1) one.ticket(`APP-${index}`);
    await Promise.all([serve(one), serve(two)]);
    for (let index = 1; index <= 5; index += 1) {
      const which = await Promise.any([one, two].map(async (world) => {
        await world.until(`APP-${index}`, ({ state }) => state === 'completed');
        return world;
      }));
      expect(await (which === one ? two : one).run(`APP-${index}`).then(() => 'walked too', () => 'left alone')).toBe('left alone');
    }
    expect([...one.starts, ...two.starts].toSorted()).toEqual([1, 2, 3, 4, 5].map((index) => `APP-${index} build 0`));
    for (let index = 1; index <= 5; index += 1) expect(markersIn(one.read(`APP-${index}`, 'build.md'), 'summary')).toHaveLength(1);
  });
});

describe('recovery', () => {
  it('begins claimed tickets anew, leaves canceled ones alone, and keeps the old database (pitfall 49)', async () => {
    const world = await new World({ build: [{ waitFor: 'go', next: 'end' }] }).init();
    world.store('straight', STRAIGHT);
    world.ticket('APP-1');
    world.ticket('APP-2');
    await serve(world);
    await world.until('APP-1', ({ state }) => state === 'waiting');
    await world.until('APP-2', ({ state }) => state === 'waiting');
    await world.client.call('cancelRun', { params: { key: 'APP-2' }, body: { reason: 'no' } });
    await stop(world);
    const server = await serve(world, { recover: true });
    expect(server.recovered).toMatchObject({ recovered: 1, failed: 0 });
    expect(existsSync(server.recovered?.laidAside ?? '')).toBe(true);
    world.allow('go');
    await world.until('APP-1', ({ state }) => state === 'completed');
    await expect(world.run('APP-2')).rejects.toMatchObject({ code: 'run_unknown' });
    expect(readdirSync(world.home.root).filter((name) => name.includes('.recover-')).length).toBeGreaterThan(0);
  });
});

describe('decisions', () => {
  it('that come too late, or twice, are refused or change nothing', async () => {
    const world = await new World({ build: [{ next: 'end' }] }).init();
    world.store('straight', STRAIGHT);
    world.ticket('APP-1');
    await serve(world);
    await world.until('APP-1', ({ state }) => state === 'completed');
    expect(await world.client.call('cancelRun', { params: { key: 'APP-1' }, body: {} })).toMatchObject({ state: 'completed' });
    await expect(world.client.call('restartRun', { params: { key: 'APP-1' } })).rejects.toMatchObject({ code: 'run_conflict' });
    await expect(world.client.call('approveRun', { params: { key: 'APP-1' }, body: {} })).rejects.toMatchObject({ code: 'run_conflict' });
    await expect(world.client.call('cancelRun', { params: { key: 'APP-9' }, body: {} })).rejects.toMatchObject({ code: 'run_unknown' });
    expect(world.read('APP-1.md')).not.toContain('Run canceled');
  });

  it('to cancel that are made at the same time end the run once, for the first reason', async () => {
    const world = await new World({ build: [{ waitFor: 'never' }] }).init();
    world.store('straight', STRAIGHT);
    world.ticket('APP-1');
    await serve(world);
    await world.until('APP-1', () => world.starts.length === 1);
    const rows = await Promise.all(['one', 'two', 'three'].map((reason) => world.client.call('cancelRun', { params: { key: 'APP-1' }, body: { reason } })));
    expect(rows.map(({ state }) => state)).toEqual(['canceled', 'canceled', 'canceled']);
    expect(markersIn(world.read('APP-1.md'), 'cancellation')).toHaveLength(1);
    expect(world.read('APP-1.md')).toContain('Run canceled: one');
    const again = await Promise.all([1, 2, 3].map(() => world.client.call('restartRun', { params: { key: 'APP-1' } })));
    expect(again.map(({ attempt }) => attempt)).toEqual([2, 2, 2]);
  });

  it('are told in the log of the run', async () => {
    const world = await new World({ build: [{ text: 'no report' }, { next: 'end' }] }).init();
    world.store('straight', STRAIGHT);
    world.ticket('APP-1');
    await serve(world);
    await world.until('APP-1', ({ state }) => state === 'completed');
    const { entries, next } = await world.client.call('runLogs', { params: { key: 'APP-1' }, query: {} });
    const said = (stream: string) => entries.filter((entry) => entry.stream === stream).map(({ text }) => text);
    expect(said('engine')).toEqual(['Entered build.', expect.stringMatching(/^build gave no valid report/), 'build was started again (turn 2).', 'build reported success; next is end.', 'The ticket reached its end.']);
    expect(said('stdout')).toEqual(['no report', expect.stringContaining('COMPLETED: build is done')]);
    expect(entries.filter(({ stream }) => stream === 'stdout').map(({ node }) => node)).toEqual(['build', 'build']);
    const rest = await world.client.call('runLogs', { params: { key: 'APP-1' }, query: { after: next, wait: '5000' } });
    expect([rest.entries, rest.ended]).toEqual([[], true]);
    await expect(world.client.call('runLogs', { params: { key: 'APP-1' }, query: { after: 'x' } })).rejects.toMatchObject({ code: 'request_invalid' });
  });
});
