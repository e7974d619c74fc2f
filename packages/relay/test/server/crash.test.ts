import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { FAULT_POINTS, type FaultPoint } from '../../src/faults/fault.js';
import { clearAway, COMMAND, drive, serve, until } from './killed-server.js';
import { markersIn, World, type Plan } from './world.js';

const TWICE = `
name: twice
repos: [app]
nodes:
  start:
    onSuccess: [{ target: build }]
  build:
    type: agent
    agent: coder
    description: Build {{ticket}}.
    onSuccess: [{ target: check }]
    onFailure: [{ target: build }]
  check:
    type: hitl
    agent: reader
    description: Read it.
    onSuccess: [{ target: end }]
    onFailure: [{ target: build }]
  end: {}
`;

const PLAN: Plan = { build: [{ next: 'check', actions: 'Read it twice.', file: 'built.txt' }, { next: 'check' }], check: [{ status: 'failure', next: 'build', actions: 'More.' }, { next: 'end' }] };

afterEach(clearAway);

function expectEffectsOnce(world: World, key: string, visits: { readonly build: number; readonly check: number }): void {
  const [ticket, build, check] = [world.read(`${key}.md`), world.read(key, 'build.md'), world.read(key, 'check.md')];
  const summaries = [...markersIn(build, 'summary'), ...markersIn(check, 'summary')];
  const feedbacks = [...markersIn(build, 'feedback'), ...markersIn(check, 'feedback')];
  expect(new Set(summaries).size).toBe(summaries.length);
  expect(new Set(feedbacks).size).toBe(feedbacks.length);
  expect([markersIn(build, 'summary').length, markersIn(check, 'summary').length]).toEqual([visits.build, visits.check]);
  expect([markersIn(build, 'feedback').length, markersIn(check, 'feedback').length]).toEqual([visits.build - 1, visits.check]);
  expect(ticket.match(/wf:twice/g)).toHaveLength(1);
}

const ON_THE_WAY = FAULT_POINTS.filter((point) => !/^(cancel|restart)\./.test(point));

describe('a server that is killed', () => {
  it.each(ON_THE_WAY)('at %s goes on, and does nothing twice that can be seen', async (point: FaultPoint) => {
    const world = await new World(PLAN).init();
    world.store('twice', TWICE);
    world.ticket('APP-1');
    const server = await serve(world, point);
    expect(await drive(world, server, 'APP-1')).toBeUndefined();
    expect(server.signalCode).toBe('SIGKILL');
    const again = await serve(world);
    const run = await drive(world, again, 'APP-1');
    expect(run?.steps.map(({ node, status, route }) => [node, status, route])).toEqual([
      ['start', 'succeeded', 'build'], ['build', 'succeeded', 'check'], ['check', 'failed', 'build'], ['build', 'succeeded', 'check'], ['check', 'succeeded', 'end'], ['end', 'succeeded', null],
    ]);
    expectEffectsOnce(world, 'APP-1', { build: 2, check: 2 });
    expect(world.read('APP-1.md')).toContain('status: Done');
    // Each visit was answered once; only an agent whose server was killed was started again.
    expect([4, 5]).toContain(world.starts.length);
  });

  it.each(['cancel.marked', 'cancel.stopped', 'cancel.commented'] as const)('at %s finishes the cancelation', async (point) => {
    const world = await new World({ build: [{ waitFor: 'never' }] }).init();
    world.store('twice', TWICE);
    world.ticket('APP-1');
    const server = await serve(world, point);
    await until(() => world.starts.length === 1);
    await world.client.call('cancelRun', { params: { key: 'APP-1' }, body: { reason: 'enough' } }).catch(() => undefined);
    await until(() => server.signalCode !== null);
    expect(server.signalCode).toBe('SIGKILL');
    const again = await serve(world);
    expect((await drive(world, again, 'APP-1'))?.state).toBe('canceled');
    expect(markersIn(world.read('APP-1.md'), 'cancellation')).toEqual(['app/twice/APP-1:cancellation']);
    expect(world.starts).toHaveLength(1);
  });

  it('at restart.commented begins one attempt when it is asked for again', async () => {
    const world = await new World({ build: [{ waitFor: 'never' }] }).init();
    world.store('twice', TWICE);
    world.ticket('APP-1');
    const server = await serve(world, 'restart.commented');
    await until(() => world.starts.length === 1);
    await world.client.call('cancelRun', { params: { key: 'APP-1' }, body: {} });
    await world.client.call('restartRun', { params: { key: 'APP-1' } }).catch(() => undefined);
    await until(() => server.signalCode !== null);
    await serve(world);
    await world.until('APP-1', ({ state, attempt }) => state === 'canceled' && attempt === 1);
    expect((await world.client.call('restartRun', { params: { key: 'APP-1' } })).attempt).toBe(2);
    await until(() => world.starts.length === 2);
    expect(markersIn(world.read('APP-1.md'), 'restart')).toEqual(['app/twice/APP-1~attempt~2:restart']);
  });

  it('in the middle of an agent leaves nothing of it running, and runs the visit again', async () => {
    const world = await new World({ build: [{ waitFor: 'go', next: 'check' }], check: [{ next: 'end' }] }).init();
    const server = await serve(world);
    await world.client.call('submitWorkflow', { body: TWICE });
    world.ticket('APP-1');
    await until(() => world.starts.length === 1);
    server.kill('SIGKILL');
    await once(server, 'exit');
    const again = await serve(world);
    await until(() => world.starts.length === 2);
    world.allow('go');
    expect((await drive(world, again, 'APP-1'))?.state).toBe('completed');
    expect(world.starts.filter((start) => start === 'APP-1 build 0')).toHaveLength(2);
    expectEffectsOnce(world, 'APP-1', { build: 1, check: 1 });
  });

  it('is not joined by a second one for the same home', async () => {
    const world = await new World({}).init();
    await serve(world);
    const second = spawn(process.execPath, [COMMAND, 'serve'], { env: { ...process.env, RELAY_FLOW_HOME: world.home.root }, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    second.stderr.on('data', (piece) => (said += String(piece)));
    const [code] = (await once(second, 'exit')) as [number];
    expect(code).toBe(1);
    expect(said).toMatch(/already runs|is running/);
  });
});
