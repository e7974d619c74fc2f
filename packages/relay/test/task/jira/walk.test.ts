import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { writeCredentials } from '../../../src/host/credentials.js';
import { openServerLog } from '../../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../../src/server/start.js';
import { markersIn, STRAIGHT, World, type Plan } from '../../server/world.js';
import { words } from './fake/adf.js';
import { FakeJira, isWrite, TOKEN } from './fake/server.js';
import { ANA, ME } from './fake/site.js';
import { SETTINGS } from './stage.js';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function site(): Promise<FakeJira> {
  const jira = await FakeJira.open();
  closing.push(async () => {
    await jira.close();
    expect(jira.complaints).toEqual([]);
  });
  return jira;
}

/** A home whose tickets are in a site. */
async function begin(jira: FakeJira, plan: Plan, repos?: Readonly<Record<string, unknown>>): Promise<{ readonly world: World; readonly serve: () => Promise<RunningServer> }> {
  const world = await new World(plan).init();
  const config = parse(readFileSync(world.home.config, 'utf8')) as Record<string, unknown>;
  writeFileSync(world.home.config, stringify({ ...config, taskPlugin: 'jira', taskConfig: { assignee: ANA.email }, repos: repos ?? { app: { path: world.repo, taskConfig: SETTINGS } } }), { mode: 0o600 });
  writeCredentials(world.home, { jira: jira.credentials });
  let server: RunningServer | undefined;
  closing.push(async () => {
    await server?.stop();
    world.remove();
  });
  return {
    world,
    async serve() {
      await server?.stop();
      server = await startServer({ home: world.home, env: process.env, version: '0.0.0', log: openServerLog({ path: world.home.serverLog, level: 'debug' }) });
      return server;
    },
  };
}

const mailbox = (jira: FakeJira, ticket: string, node: string) => {
  const [found, ...more] = jira.site.children(ticket).filter(({ summary }) => summary === `${ticket}:${node}`);
  expect(more).toEqual([]);
  return found ?? expect.fail(`no mailbox ${ticket}:${node}`);
};

const texts = (jira: FakeJira, key: string): string => jira.site.get(key).comments.map(({ body }) => words(body)).join('\n');

describe('a ticket in Jira', () => {
  it('is walked from its start to its end, through lost answers and refusals, and nothing is doubled', async () => {
    const jira = await site();
    const { world, serve } = await begin(jira, { build: [{ next: 'review', actions: 'Look at the names.' }], review: [{ status: 'failure', next: 'build', actions: 'Rename it.' }, { next: 'end' }] });
    await serve();
    await world.client.call('submitWorkflow', { body: STRAIGHT });
    // Each of the first writes of a kind loses its answer; some reads fail.
    for (const part of ['transitions', 'comment', 'bulk', 'assignee']) jira.trouble((asked) => isWrite(asked) && asked.path.endsWith(part), { kind: 'lost' });
    jira.trouble((asked) => asked.method === 'GET' && asked.path.startsWith('issue/'), { kind: 'answer', answer: { status: 503 } });
    jira.freezeIndex();
    const ticket = jira.site.add({ summary: 'Make it faster', description: { version: 1, type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'It takes minutes.' }] }] } });
    jira.freezeIndex();
    const run = await world.until(ticket.key, ({ state }) => state === 'completed', 60_000);
    expect(run.steps.map(({ node, status, route }) => [node, status, route])).toEqual([
      ['start', 'succeeded', 'build'], ['build', 'succeeded', 'review'], ['review', 'failed', 'build'], ['build', 'succeeded', 'review'], ['review', 'succeeded', 'end'], ['end', 'succeeded', null],
    ]);
    expect(world.starts).toEqual(['build 0', 'review 0', 'build 1', 'review 1'].map((start) => `${ticket.key} ${start}`));
    expect(ticket.status).toBe('Shipped');
    expect(ticket.labels.map((label) => label.replace(/[0-9a-f]{64}/, 'DIGEST'))).toEqual(['wf-owner:straight:DIGEST', 'wf:straight']);
    expect(jira.site.children(ticket.key)).toHaveLength(2);
    for (const node of ['build', 'review']) {
      const { key, status, assignee, description } = mailbox(jira, ticket.key, node);
      expect([status, assignee, words(description).includes('NEXT STEP')]).toEqual(['Shipped', ANA.accountId, true]);
      expect(markersIn(texts(jira, key), 'summary')).toHaveLength(2);
      expect(new Set(markersIn(texts(jira, key), 'summary')).size).toBe(2);
    }
    expect(markersIn(texts(jira, mailbox(jira, ticket.key, 'build').key), 'feedback')).toHaveLength(1);
    expect(texts(jira, mailbox(jira, ticket.key, 'build').key)).toContain('Rename it.');
    const prompt = readFileSync(join(world.agent, `prompt-${ticket.key}-build-0.txt`), 'utf8');
    expect(prompt).toContain('It takes minutes.');
    for (const secret of [TOKEN, ME.email, Buffer.from(`${ME.email}:${TOKEN}`).toString('base64')]) expect(world.log()).not.toContain(secret);
  });

  it('belongs to a repository that was registered with what the site has', async () => {
    const jira = await site();
    const { world, serve } = await begin(jira, { build: [{ next: 'end' }] }, {});
    await serve();
    const about = { name: 'app', path: world.repo };
    const [project] = await world.client.call('nextTaskFields', { body: { ...about, values: {} } });
    expect(project?.choices?.map(({ value }) => value)).toEqual(['APP', 'OPS']);
    const fields = await world.client.call('nextTaskFields', { body: { ...about, values: { project: 'APP', component: 'app' } } });
    const values = { project: 'APP', component: 'app', ...Object.fromEntries(fields.map(({ name, initial }) => [name, initial ?? ''])) };
    await expect(world.client.call('registerRepo', { body: { ...about, values: { ...values, component: 'none' } } })).rejects.toThrow("The value 'none' does not exist");
    expect(await world.client.call('registerRepo', { body: { ...about, values } })).toMatchObject({ name: 'app', taskConfig: SETTINGS, problem: null });
    await world.client.call('submitWorkflow', { body: STRAIGHT });
    const ticket = jira.site.add({ summary: 'Make it faster' });
    await world.until(ticket.key, ({ state }) => state === 'completed');
    expect(ticket.status).toBe('Shipped');
  });

  it('that cannot be moved is shown as blocked, with where to move it, until a person has', async () => {
    const jira = await site();
    const { world, serve } = await begin(jira, { build: [{ next: 'end' }] });
    await serve();
    await world.client.call('submitWorkflow', { body: STRAIGHT });
    const ticket = jira.site.add({ summary: 'Make it faster' });
    const way = jira.site.type('APP', 'Task').transitions.find(({ to }) => to === 'Building');
    const transitions = jira.site.type('APP', 'Task').transitions;
    transitions.splice(transitions.indexOf(way ?? expect.fail()), 1);
    const blocked = await world.until(ticket.key, ({ state }) => state === 'blocked');
    expect(`${blocked.lastError} ${blocked.attention}`).toContain('no transition leads to "Building"');
    ticket.status = 'Building';
    await world.until(ticket.key, ({ state }) => state === 'completed');
    expect(ticket.status).toBe('Shipped');
  });

  it('that was canceled does not come back when a server starts that knows nothing of it', async () => {
    const jira = await site();
    const first = await begin(jira, { build: [{ waitFor: 'never', next: 'end' }] });
    const server = await first.serve();
    await first.world.client.call('submitWorkflow', { body: STRAIGHT });
    const ticket = jira.site.add({ summary: 'Make it faster' });
    await first.world.until(ticket.key, () => first.world.starts.length === 1);
    await first.world.client.call('cancelRun', { params: { key: ticket.key }, body: { reason: 'not needed' } });
    expect(texts(jira, ticket.key)).toContain('Run canceled: not needed');
    await server.stop();
    const second = await begin(jira, { build: [{ next: 'end' }] });
    await second.serve();
    await second.world.client.call('submitWorkflow', { body: STRAIGHT });
    const other = jira.site.add({ summary: 'Another' });
    await second.world.until(other.key, ({ state }) => state === 'completed');
    await expect(second.world.run(ticket.key)).rejects.toThrow(/no run/i);
    expect(second.world.log()).toContain('a canceled ticket is left alone');
  });
});
