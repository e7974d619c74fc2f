import { systemClock, type Clock } from '@relayflows/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import type { Report } from 'relay-flow-plugin/report';
import { RelayError } from '../../src/errors/relay-error.js';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { quietHarness, RememberedTerminals } from './noop-adapters.js';
import { withheld } from './recorded.js';
import { markersIn, REVIEW, STRAIGHT, World } from './world.js';

const worlds: Served[] = [];

afterEach(async () => {
  for (const served of worlds.splice(0)) {
    await served.server.stop();
    served.world.remove();
  }
});

interface Served {
  readonly world: World;
  terminals: RememberedTerminals;
  server: RunningServer;
}

async function start(world: World, terminals: RememberedTerminals, clock: Clock = systemClock): Promise<RunningServer> {
  return await startServer({ home: world.home, env: process.env, version: '0', clock, command: '/opt/relay-flow', log: openServerLog({ path: world.home.serverLog, level: 'debug' }), adapters: { runner: terminals.runner, harness: quietHarness } });
}

async function served(workflow: string, name: string, config: Readonly<Record<string, unknown>> = {}, clock?: Clock): Promise<Served> {
  const world = await new World({}, config).init();
  world.store(name, workflow);
  world.ticket('APP-1');
  const terminals = new RememberedTerminals();
  const entry = { world, terminals, server: await start(world, terminals, clock) };
  worlds.push(entry);
  return entry;
}

function report(nextStep: string, status: Report['status'] = 'success', more: Partial<Report['feedback']> = {}): Report {
  const feedback = { reasonForNextStep: 'None', requiredActions: 'None', relevantContext: 'None', expectedResult: 'None', ...more };
  return { status, nextStep, summary: { completed: 'Done.', commits: 'None', notCompleted: 'None', issuesDiscovered: 'None', verification: 'None', notes: 'None' }, feedback };
}

const RUN = 'app/straight/APP-1';

async function atNode(world: World, node: string, depth = 0): Promise<void> {
  await world.until('APP-1', (run) => run.currentNode === node && run.state === 'waiting' && run.steps.some((step) => step.node === node && step.depth === depth && step.status === 'waiting'));
}

describe('reports of agents in terminals', () => {
  it('move the run once, and what comes late is acknowledged as a duplicate (pitfall 14)', async () => {
    const { world, terminals } = await served(STRAIGHT, 'straight');
    await atNode(world, 'build');
    expect(terminals.launched.map(({ title }) => title)).toEqual(['APP-1:build']);
    expect(terminals.launched[0]?.env).toMatchObject({ RELAY_FLOW_RUN_ID: RUN, RELAY_FLOW_NODE: 'build', RELAY_FLOW_NODE_TYPE: 'agent', RELAY_FLOW_NUDGE_PROMPT: '', RELAY_FLOW_COMMAND: '/opt/relay-flow' });
    expect(Object.values(terminals.launched[0]?.env ?? {}).join(' ')).not.toContain((await world.run('APP-1')).currentNodeVisitId ?? 'nothing');
    const body = { runId: RUN, node: 'build', reportId: 's1:m1', report: report('review') };
    expect(await world.client.call('deliverReport', { body })).toEqual({ accepted: true, duplicate: false });
    expect(await world.client.call('deliverReport', { body })).toEqual({ accepted: true, duplicate: true });
    await atNode(world, 'review');
    expect(await world.client.call('deliverReport', { body: { ...body, reportId: 's1:m2' } })).toEqual({ accepted: true, duplicate: true });
    expect(await world.client.call('deliverReport', { body: { ...body, runId: 'app/straight/NO-1' } })).toEqual({ accepted: true, duplicate: true });
    // A duplicate is one before anybody looks at its text.
    expect(await world.client.call('deliverReport', { body: { ...body, report: { status: 'perhaps' } as never } })).toEqual({ accepted: true, duplicate: true });
    expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(1);
  });

  it('many at once move it once (pitfall 12)', async () => {
    const { world } = await served(STRAIGHT, 'straight');
    await atNode(world, 'build');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: `s:${index % 4}`, report: report('build', 'failure') } })));
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    await atNode(world, 'build', 1);
    expect(markersIn(world.read('APP-1', 'build.md'), 'summary')).toHaveLength(1);
  });

  it.each([
    ['a target that is none', report('deploy'), /build|review|end/],
    ['a failure that ends the ticket', report('end', 'failure'), /build/],
    ['an end with feedback', report('end', 'success', { requiredActions: 'More.' }), /None/],
    ['an empty section', { ...report('end'), summary: { ...report('end').summary, notes: ' ' } }, /None|NOTES/],
  ])('are refused for %s, and the agent may report again', async (_name, wrong, text) => {
    const { world } = await served(STRAIGHT, 'straight');
    await atNode(world, 'build');
    const body = { runId: RUN, node: 'build', reportId: 's1:m1', report: wrong };
    await expect(world.client.call('deliverReport', { body })).rejects.toMatchObject({ code: 'report_invalid', text: expect.stringMatching(text) as string });
    expect(await world.client.call('deliverReport', { body: { ...body, reportId: 's1:m2', report: report('review') } })).toEqual({ accepted: true, duplicate: false });
    await atNode(world, 'review');
  });

  it('must have exactly the keys that were agreed on (pitfall 47)', async () => {
    const { world } = await served(STRAIGHT, 'straight');
    await atNode(world, 'build');
    await expect(world.client.call('deliverReport', { body: { RunID: RUN, node: 'build', reportId: 'a', report: report('review') } as never })).rejects.toMatchObject({ code: 'request_invalid' });
    await expect(world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: { ...report('review'), Status: 'success' } } as never })).rejects.toMatchObject({ code: 'report_invalid' });
  });

  it('of an earlier attempt do not move the new one (pitfall 44)', async () => {
    const { world } = await served(STRAIGHT, 'straight');
    await atNode(world, 'build');
    await world.client.call('cancelRun', { params: { key: 'APP-1' }, body: {} });
    await world.client.call('restartRun', { params: { key: 'APP-1' } });
    await atNode(world, 'build');
    expect(await world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'old', report: report('end') } })).toEqual({ accepted: true, duplicate: true });
    expect((await world.run('APP-1')).currentNode).toBe('build');
    expect(await world.client.call('deliverReport', { body: { runId: `${RUN}~attempt~2`, node: 'build', reportId: 'new', report: report('end') } })).toEqual({ accepted: true, duplicate: false });
    await world.until('APP-1', ({ state }) => state === 'completed');
  });
});

describe('terminals', () => {
  it('that stay get the feedback of the next visit', async () => {
    const { world, terminals } = await served(STRAIGHT, 'straight');
    await atNode(world, 'build');
    await world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    await atNode(world, 'build', 1);
    expect(terminals.launched).toHaveLength(1);
    expect(terminals.launched[0]?.typed).toEqual([expect.stringContaining('Go on with build.')]);
  });

  it('are closed with their report, and the session goes on in another, when they do not stay', async () => {
    const { world, terminals } = await served(STRAIGHT, 'straight', { keepTerminalsAlive: false });
    await atNode(world, 'build');
    expect(await world.client.call('registerSession', { body: { runId: RUN, node: 'build', sessionId: 'ses_1' } })).toEqual({ accepted: true });
    expect(await world.client.call('registerSession', { body: { runId: RUN, node: 'review', sessionId: 'ses_2' } })).toEqual({ accepted: false });
    await world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    await atNode(world, 'build', 1);
    expect(terminals.launched).toHaveLength(2);
    expect(terminals.live('APP-1:build')).toHaveLength(1);
    // Also where it goes on, of which its plugin need not tell.
    expect((await world.run('APP-1')).steps.filter(({ node, status }) => node === 'build' && status !== 'pending').map(({ runtime }) => runtime?.session)).toEqual(['ses_1', 'ses_1']);
  });

  it('that are found by their title after a crash are not started twice (pitfall 8)', async () => {
    const entry = await served(STRAIGHT, 'straight');
    const { world, terminals } = entry;
    await atNode(world, 'build');
    await entry.server.stop();
    entry.server = await start(world, terminals);
    await atNode(world, 'build');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(terminals.launched).toHaveLength(1);
  });

  it('that are gone when the server starts are replaced in the same visit', async () => {
    const entry = await served(STRAIGHT, 'straight');
    const { world, terminals } = entry;
    await atNode(world, 'build');
    const { currentNodeVisitId } = await world.run('APP-1');
    await entry.server.stop();
    for (const terminal of terminals.launched) terminal.live = false;
    entry.server = await start(world, terminals);
    await world.until('APP-1', () => terminals.launched.length === 2);
    expect((await world.run('APP-1')).currentNodeVisitId).toBe(currentNodeVisitId);
  });

  it('that cannot take a text are replaced; a question of theirs is for a person (pitfalls 5, 10)', async () => {
    const { clock, release } = withheld();
    const { world, terminals } = await served(STRAIGHT, 'straight', {}, clock);
    await atNode(world, 'build');
    terminals.failures.push({ operation: 'send', error: new RelayError('runner_conflict', 'The program asks whether to trust the folder.', { hint: 'Answer in the terminal.' }) });
    await world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    const blocked = await world.until('APP-1', ({ state }) => state === 'blocked');
    expect(blocked).toMatchObject({ lastError: 'The program asks whether to trust the folder.', attention: 'Answer in the terminal.', retry: { attempt: 1 } });
    release();
    const after = await world.until('APP-1', ({ state }) => state === 'waiting');
    expect(after).toMatchObject({ lastError: null, attention: null, retry: null });
    expect(terminals.launched).toHaveLength(1);
  });
});

describe('a report that comes while its agent is still being launched', () => {
  it('is enough: nothing is launched or typed for the visit any more', async () => {
    const { clock, release } = withheld();
    const { world, terminals } = await served(STRAIGHT, 'straight', {}, clock);
    await atNode(world, 'build');
    for (let count = 0; count < 2; count += 1) terminals.failures.push({ operation: 'send', error: new RelayError('runner_conflict', 'The program asks something.') });
    await world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    await world.until('APP-1', ({ state }) => state === 'blocked');
    expect(await world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'b', report: report('review') } })).toEqual({ accepted: true, duplicate: false });
    release();
    await atNode(world, 'review');
    expect(terminals.launched.map(({ title, typed }) => [title, typed])).toEqual([['APP-1:build', []], ['APP-1:review', []]]);
    expect((await world.run('APP-1')).lastError).toBeNull();
  });
});

describe('a hitl node in a terminal', () => {
  it('is decided in its dialog, not from outside', async () => {
    const { world, terminals } = await served(REVIEW, 'review');
    await atNode(world, 'build');
    await world.client.call('deliverReport', { body: { runId: 'app/review/APP-1', node: 'build', reportId: 'a', report: report('check') } });
    await atNode(world, 'check');
    expect(terminals.statuses).toContain('APP-1 in-review');
    expect(terminals.launched[1]?.env['RELAY_FLOW_AUTO_REJECT']).toBe('false');
    await expect(world.client.call('approveRun', { params: { key: 'APP-1' }, body: {} })).rejects.toMatchObject({ code: 'run_conflict', hint: expect.stringContaining('dialog') as string });
    await world.client.call('deliverReport', { body: { runId: 'app/review/APP-1', node: 'check', reportId: 'b', report: report('end') } });
    await world.until('APP-1', ({ state }) => state === 'completed');
  });
});
