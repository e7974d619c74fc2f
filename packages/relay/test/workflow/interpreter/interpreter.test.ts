import { createMemoryJournal, createRuntime, type Journal, type Runtime } from '@relayflows/sdk';
import type { Report } from 'relay-flow-plugin/report';
import { afterEach, describe, expect, it } from 'vitest';
import { attemptId } from '../../../src/server/ids.js';
import { TICKET_FLOW, ticketFlow } from '../../../src/server/runs/ticket-flow.js';
import type { WorkflowDefinition } from '../../../src/workflow/definition.js';
import type { Activities } from '../../../src/workflow/interpreter/activities.js';
import { CURRENT_INTERPRETER_FLAGS } from '../../../src/workflow/interpreter/flags.js';
import { visitSignal, type TicketRunInput, type VisitMessage } from '../../../src/workflow/interpreter/input.js';

const workflow: WorkflowDefinition = {
  name: 'review', repos: ['app'], cleanupRunnerOnEnd: false,
  nodes: {
    start: { type: 'lifecycle', onSuccess: [{ target: 'build' }], onFailure: [] },
    build: { type: 'agent', agent: 'coder', description: 'Build it.', autoReject: false, onSuccess: [{ target: 'check' }], onFailure: [{ target: 'build' }] },
    check: { type: 'hitl', agent: 'reader', description: 'Check it.', autoReject: false, onSuccess: [{ target: 'end' }], onFailure: [{ target: 'build' }] },
    end: { type: 'lifecycle', onSuccess: [], onFailure: [] },
  },
};

function report(nextStep: string, status: Report['status'] = 'success'): Report {
  return {
    status, nextStep,
    summary: { completed: `on to ${nextStep}`, commits: 'None', notCompleted: 'None', issuesDiscovered: 'None', verification: 'None', notes: 'None' },
    feedback: { reasonForNextStep: 'None', requiredActions: 'None', relevantContext: 'None', expectedResult: 'None' },
  };
}

interface World {
  readonly calls: string[];
  /** The visit of the last launch. */
  visit: string;
  node: string;
  readonly fail: Map<string, number>;
}

function activitiesOf(world: World): Activities {
  const act = async (name: string): Promise<void> => {
    const left = world.fail.get(name) ?? 0;
    if (left > 0) {
      world.fail.set(name, left - 1);
      throw Object.assign(new Error(`${name} is not possible now.`), { kind: 'transient' });
    }
    world.calls.push(name);
  };
  return {
    ensureMailboxes: async () => {
      await act('mailboxes');
      return { build: 'K-1.1', check: 'K-1.2' };
    },
    reopen: () => act('reopen'),
    validateAgents: () => act('agents'),
    enterStart: () => act('start'),
    enterNode: ({ visit }) => act(`enter ${visit.node} ${visit.depth} after ${visit.handover?.node ?? 'start'}`),
    launch: async ({ visit, launch, remark }) => {
      await act(`launch ${visit.node} ${launch}${remark === undefined ? '' : ` ${remark}`}`);
      world.visit = visit.visitId;
      world.node = visit.node;
    },
    settle: ({ visit, report: { nextStep } }) => act(`settle ${visit.node} to ${nextStep}`),
    finish: ({ sequence }) => act(`finish ${sequence}`),
    observer: { failed: ({ activity, attempt, delayMs }) => world.calls.push(`failed ${activity} ${attempt} ${delayMs >= 1_600 && delayMs <= 2_400 ? '2s' : delayMs}`), succeeded: () => undefined },
  };
}

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

  const logical = 'app/review/K-1';
  const input: TicketRunInput = { flags: CURRENT_INTERPRETER_FLAGS, logicalRunId: logical, attempt: 1, repo: 'app', workflow, ticket: { id: 'K-1', key: 'K-1', title: 'A ticket' } };

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
  }, 20_000);
});
