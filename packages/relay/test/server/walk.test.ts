import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openServerLog } from '../../src/host/server-log.js';
import { startServer, type RunningServer } from '../../src/server/start.js';
import { markersIn, REVIEW, STRAIGHT, World, type Plan } from './world.js';

const open: { world: World; server: RunningServer | undefined }[] = [];

afterEach(async () => {
  for (const { world, server } of open.splice(0)) {
    await server?.stop();
    world.remove();
  }
});

async function serve(world: World, options: { readonly recover?: boolean } = {}): Promise<RunningServer> {
  const log = openServerLog({ path: world.home.serverLog, level: 'debug' });
  const server = await startServer({ home: world.home, env: process.env, version: '0.0.0', log, ...options });
  const known = open.find((entry) => entry.world === world);
  if (known === undefined) open.push({ world, server });
  else known.server = server;
  return server;
}

async function begin(plan: Plan, workflow: string, config: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const world = await new World(plan, config).init();
  await serve(world);
  await world.client.call('submitWorkflow', { body: workflow });
  return world;
}

const SUMMARY = { commits: 'None', notCompleted: 'None', issuesDiscovered: 'None', verification: 'None', notes: 'None' };
const FEEDBACK = { reasonForNextStep: 'None', requiredActions: 'None', relevantContext: 'None', expectedResult: 'None' };

describe('a ticket', () => {
  it('is walked from its start to its end, and the ticket tells what happened', async () => {
    const world = await begin({ build: [{ next: 'review', actions: 'Look at the names.' }], review: [{ status: 'failure', next: 'build', actions: 'Rename it.' }, { next: 'end' }] }, STRAIGHT);
    world.ticket('APP-1', {}, 'Make it faster.');
    const run = await world.until('APP-1', ({ state }) => state === 'completed');
    expect(run.steps.map(({ node, status, route }) => [node, status, route])).toEqual([
      ['start', 'succeeded', 'build'], ['build', 'succeeded', 'review'], ['review', 'failed', 'build'], ['build', 'succeeded', 'review'], ['review', 'succeeded', 'end'], ['end', 'succeeded', null],
    ]);
    expect(world.starts).toEqual(['APP-1 build 0', 'APP-1 review 0', 'APP-1 build 1', 'APP-1 review 1']);
    const ticket = world.read('APP-1.md');
    expect(ticket).toContain('status: Done');
    expect(ticket).toContain('wf:straight');
    expect(ticket).toContain('Make it faster.');
    const build = world.read('APP-1', 'build.md');
    expect(markersIn(build, 'summary')).toHaveLength(2);
    expect(markersIn(build, 'feedback')).toHaveLength(1);
    expect(build).toContain('Rename it.');
    expect(build).toContain('status: Done');
    const prompt = readFileSync(join(world.agent, 'prompt-APP-1-build-1.txt'), 'utf8');
    expect(prompt).toContain('Rename it.');
    expect(prompt).toContain('Make it faster.');
    expect(prompt).toContain('STATUS:');
    expect(world.worktrees()).toEqual(['APP-1']);
  });

  it('waits for a person at a hitl node, who decides about the report that was read (pitfalls 16, 22)', async () => {
    const world = await begin({ build: [{ next: 'check' }], check: [{ next: 'end', completed: 'It reads well.' }] }, REVIEW);
    world.ticket('APP-2');
    const waiting = await world.until('APP-2', ({ proposal }) => proposal !== null);
    expect(waiting.state).toBe('waiting');
    expect(waiting.attention).toContain('relay-flow run approve --ticket APP-2');
    expect(waiting.proposal?.text).toContain('COMPLETED: It reads well.');
    // The agent cannot agree with itself.
    const own = { runId: waiting.id, node: 'check', reportId: 'own', report: { status: 'success' as const, nextStep: 'end', summary: { completed: 'Done.', ...SUMMARY }, feedback: FEEDBACK } };
    await expect(world.client.call('deliverReport', { body: own })).rejects.toMatchObject({ code: 'report_invalid', text: expect.stringContaining('goes to a person first') });
    await world.client.call('rejectRun', { params: { key: 'APP-2' }, body: { reason: 'Say more about the tests.' } });
    // What was sent back cannot be approved any more.
    await expect(world.client.call('approveRun', { params: { key: 'APP-2' }, body: {} })).rejects.toMatchObject({ code: 'run_conflict' });
    const again = await world.until('APP-2', ({ proposal }) => proposal !== null && proposal.reportId !== waiting.proposal?.reportId);
    // A command has no session: it would not know what it had said.
    expect(readFileSync(join(world.agent, 'prompt-APP-2-check-1.txt'), 'utf8')).toMatch(/did not accept it\. They say: Say more about the tests\.\n\nThis was the report:\n\n> STATUS: success\n(?:>.*\n)+> COMPLETED: It reads well\.\n/);
    await expect(world.client.call('approveRun', { params: { key: 'APP-2' }, body: { reportId: waiting.proposal?.reportId ?? '' } })).rejects.toThrow('Another report waits');
    await world.client.call('approveRun', { params: { key: 'APP-2' }, body: { reportId: again.proposal?.reportId ?? '' } });
    const done = await world.until('APP-2', ({ state }) => state === 'completed');
    expect(done.steps.filter(({ node }) => node === 'check')).toHaveLength(1);
    expect(markersIn(world.read('APP-2', 'check.md'), 'summary')).toHaveLength(1);
  });

  it.each([['asks for', REVIEW, 1], ['needs no', REVIEW.replace('    agent: reader\n', '    agent: reader\n    autoReject: true\n'), 0]])('%s approval of a failure at a hitl node, as the workflow says, and always asks about a success', async (_what, workflow, asked) => {
    const world = await begin({ build: [{ next: 'check' }], check: [{ status: 'failure', next: 'build', actions: 'Rename it.' }, { next: 'end' }] }, workflow);
    world.ticket('APP-6');
    for (let left = asked; left > 0; left -= 1) {
      const { proposal } = await world.until('APP-6', (run) => run.proposal !== null);
      expect([proposal?.text.includes('STATUS: failure'), world.starts.length]).toEqual([true, 2]);
      await world.client.call('approveRun', { params: { key: 'APP-6' }, body: { reportId: proposal?.reportId ?? '' } });
    }
    const { proposal, steps } = await world.until('APP-6', (run) => run.proposal?.text.includes('STATUS: success') === true);
    expect(steps.filter(({ status }) => status !== 'pending').map(({ node, route }) => [node, route])).toEqual([['start', 'build'], ['build', 'check'], ['check', 'build'], ['build', 'check'], ['check', null]]);
    expect((await world.run('APP-6')).state).toBe('waiting');
    await world.client.call('approveRun', { params: { key: 'APP-6' }, body: { reportId: proposal?.reportId ?? '' } });
    await world.until('APP-6', ({ state }) => state === 'completed');
  });

  it('is asked again for a valid report five times, then shown to a person, who may start it again', async () => {
    const world = await begin({ build: [...Array.from({ length: 6 }, () => ({ text: 'I am done.' })), { next: 'end' }] }, STRAIGHT);
    world.ticket('APP-3');
    const blocked = await world.until('APP-3', ({ state }) => state === 'blocked');
    expect(world.starts).toHaveLength(6);
    expect(blocked.lastError).toContain('no valid report');
    expect(readFileSync(join(world.agent, 'prompt-APP-3-build-1.txt'), 'utf8')).toMatch(/could not be taken as the report/);
    await world.client.call('rejectRun', { params: { key: 'APP-3' }, body: {} });
    await world.until('APP-3', ({ state }) => state === 'completed');
    expect(world.starts).toHaveLength(7);
    // It gave no report that somebody could have rejected.
    expect(readFileSync(join(world.agent, 'prompt-APP-3-build-6.txt'), 'utf8')).not.toContain('accept');
  });

  it('is canceled in the middle, with what runs for it, and restarted as another attempt', async () => {
    const world = await begin({ build: [{ waitFor: 'never', next: 'end' }] }, STRAIGHT);
    world.ticket('APP-4');
    await world.until('APP-4', () => world.starts.length === 1);
    await expect(world.client.call('restartRun', { params: { key: 'APP-4' } })).rejects.toMatchObject({ code: 'run_conflict' });
    const canceled = await world.client.call('cancelRun', { params: { key: 'APP-4' }, body: { reason: 'not needed' } });
    expect(canceled.state).toBe('canceled');
    expect(world.read('APP-4.md')).toContain('Run canceled: not needed');
    expect(world.read('APP-4.md')).toContain('In Progress');
    world.plan({ build: [{ next: 'end' }] });
    const file = join(world.tickets, 'APP-4.md');
    const text = world.read('APP-4.md');
    writeFileSync(file, text.replace('status: In Progress', 'status: Done'));
    await expect(world.client.call('restartRun', { params: { key: 'APP-4' } })).rejects.toMatchObject({ code: 'run_conflict', text: 'The ticket APP-4 is closed (Done).' });
    writeFileSync(file, text);
    const again = await world.client.call('restartRun', { params: { key: 'APP-4' } });
    expect(again).toMatchObject({ attempt: 2, id: 'app/straight/APP-4~attempt~2' });
    await world.until('APP-4', ({ state, attempt }) => attempt === 2 && state === 'completed');
  });

  it('goes on after the server was stopped and started again', async () => {
    const world = await begin({ build: [{ waitFor: 'go', next: 'end' }] }, STRAIGHT);
    world.ticket('APP-5');
    await world.until('APP-5', () => world.starts.length === 1);
    await open[0]?.server?.stop();
    await serve(world);
    world.allow('go');
    const run = await world.until('APP-5', ({ state }) => state === 'completed');
    expect(run.steps.map(({ node }) => node)).toEqual(['start', 'build', 'end']);
    expect(markersIn(world.read('APP-5', 'build.md'), 'summary')).toHaveLength(1);
  });
});
