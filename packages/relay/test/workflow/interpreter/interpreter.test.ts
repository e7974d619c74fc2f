import { createMemoryJournal, createRuntime, type Journal, type Runtime } from '@relayflows/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { attemptId } from '../../../src/server/ids.js';
import { TICKET_FLOW, ticketFlow } from '../../../src/server/runs/ticket-flow.js';
import { visitSignal, type VisitMessage } from '../../../src/workflow/interpreter/input.js';
import { activitiesOf, INPUT as input, LOGICAL as logical, report, type World } from './stage.js';

describe('the interpreter', () => {
  const runtimes: Runtime[] = [];
  afterEach(async () => {
    await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
  });

  function begin(journal: Journal, world: World): Runtime {
    const runtime = createRuntime({ journal, flows: { [TICKET_FLOW.name]: { version: TICKET_FLOW.version, flow: ticketFlow(() => activitiesOf(world)) } } });
    runtimes.push(runtime);
    return runtime;
  }

  async function tell(runtime: Runtime, runId: string, world: World, message: VisitMessage): Promise<string> {
    await runtime.signal({ runId, name: visitSignal(world.visit), payload: message as never });
    return (await runtime.resume(runId).result).status;
  }

  it('walks the graph in the order that the specification gives, dropped from memory at every wait', async () => {
    const world: World = { calls: [], visit: '', node: '', fail: new Map() };
    const journal = createMemoryJournal();
    const runtime = begin(journal, world);
    const first = runtime.run(TICKET_FLOW.name, { id: attemptId(logical, 1), input });
    expect((await first.result).status).toBe('parked');
    expect(await tell(runtime, first.id, world, { type: 'report', reportId: 'r1', report: report('check') })).toBe('parked');
    expect(await tell(runtime, first.id, world, { type: 'report', reportId: 'r2', report: report('build', 'failure') })).toBe('parked');
    expect(await tell(runtime, first.id, world, { type: 'relaunch', remark: 'again' })).toBe('parked');
    expect(await tell(runtime, first.id, world, { type: 'report', reportId: 'r3', report: report('check') })).toBe('parked');
    expect(await tell(runtime, first.id, world, { type: 'report', reportId: 'r4', report: report('end') })).toBe('completed');
    expect(world.calls).toEqual([
      'mailboxes', 'agents', 'start',
      'enter build 0 after start', 'launch build 1', 'settle build to check',
      'enter check 0 after build', 'launch check 1', 'settle check to build',
      'enter build 1 after check', 'launch build 1', 'launch build 2 again', 'settle build to check',
      'enter check 1 after build', 'launch check 1', 'settle check to end',
      'finish 6',
    ]);
  });

  it('opens the mailboxes of an earlier attempt again', async () => {
    const world: World = { calls: [], visit: '', node: '', fail: new Map() };
    const runtime = begin(createMemoryJournal(), world);
    const run = runtime.run(TICKET_FLOW.name, { id: attemptId(logical, 2), input: { ...input, attempt: 2 } });
    await run.result;
    expect(run.id).toBe('app/review/K-1~attempt~2');
    expect(world.calls.slice(0, 3)).toEqual(['mailboxes', 'reopen', 'agents']);
  });

  it('keeps its history short, however often it goes around', async () => {
    const world: World = { calls: [], visit: '', node: '', fail: new Map() };
    const journal = createMemoryJournal();
    const runtime = begin(journal, world);
    const run = runtime.run(TICKET_FLOW.name, { id: attemptId(logical, 1), input });
    await run.result;
    let longest = 0;
    for (let round = 0; round < 60; round += 1) {
      expect(await tell(runtime, run.id, world, { type: 'report', reportId: `r${round}`, report: report('build', 'failure') })).toBe('parked');
      longest = Math.max(longest, (await journal.history({ runId: run.id })).length);
    }
    expect(world.calls.filter((call) => call.startsWith('settle'))).toHaveLength(60);
    expect(world.calls).toContain('enter build 60 after build');
    // 16 visits of five steps, and the beginning.
    expect(longest).toBeLessThan(100);
  });

  it('takes one report a visit: a second one reaches nobody', async () => {
    const world: World = { calls: [], visit: '', node: '', fail: new Map() };
    const runtime = begin(createMemoryJournal(), world);
    const run = runtime.run(TICKET_FLOW.name, { id: attemptId(logical, 1), input });
    await run.result;
    await runtime.signal({ runId: run.id, name: visitSignal(world.visit), payload: { type: 'report', reportId: 'a', report: report('build', 'failure') } as never });
    await runtime.signal({ runId: run.id, name: visitSignal(world.visit), payload: { type: 'report', reportId: 'b', report: report('check') } as never });
    expect((await runtime.resume(run.id).result).status).toBe('parked');
    expect(world.node).toBe('build');
    expect(world.calls.filter((call) => call.startsWith('settle'))).toEqual(['settle build to build']);
  });

  it('tries again what fails, and says so', async () => {
    const world: World = { calls: [], visit: '', node: '', fail: new Map([['start', 1]]) };
    const runtime = begin(createMemoryJournal(), world);
    expect((await runtime.run(TICKET_FLOW.name, { id: attemptId(logical, 1), input }).result).status).toBe('parked');
    expect(world.calls).toEqual(['mailboxes', 'agents', 'failed start 1 2s', 'agents', 'start', 'enter build 0 after start', 'launch build 1']);
  });
});
