import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { lives, nowAndLater } from '../../src/agents/conformance/traces.js';
import { part, type AgentPart } from '../../src/agents/conformance/scenario.js';
import { untilWritten } from '../../src/agents/conformance/stage.js';
import { INTERRUPTED } from '../../src/agents/continuation.js';
import { FlowPlace, type StartFlowAgent } from './flow-place.js';

export interface FlowScenarios {
  readonly test: (name: string, body: () => Promise<void>) => void;
  readonly start: StartFlowAgent;
  /** How long the agent may take until it does the first thing of its part, in milliseconds. */
  readonly startMs: number;
  readonly sessions: boolean;
  /** It says what it does while it does it. */
  readonly record: boolean;
  /** It states what it costs, or its model has a price. */
  readonly dollars: boolean;
}

/** The task, told so that it is recognized behind whatever stands before it. */
const TASK = 'Do the whole task.';
const DETAIL = 'f.done("success", { detail: JSON.stringify(result) });';

/** It is in the middle of a tool, and something of it writes on in a session of its own. */
const AT_WORK: AgentPart = part(
  [
    { do: 'say', text: 'I begin.' },
    { do: 'detach', command: 'echo $$ > detached.pid; while :; do date >> alive.txt; sleep 0.1; done' },
    { do: 'run', command: 'echo $$ > tool.pid; exec sleep 600' },
  ],
  [{ do: 'say', text: 'All is done.' }],
);

/** A flow whose agent is at work is interrupted in every way, and continued. */
export function flowScenarios({ test, start, startMs, sessions, record, dollars }: FlowScenarios): void {
  const on = async (played: AgentPart, body: string, act: (place: FlowPlace) => Promise<void>): Promise<void> => {
    const place = new FlowPlace(await start(played), body);
    try {
      await act(place);
      expect(place.remains()).toEqual([]);
    } finally {
      await place.remove();
    }
  };
  const atWork = async (place: FlowPlace): Promise<readonly number[]> =>
    await Promise.all(['detached.pid', 'tool.pid'].map(async (name) => Number(await untilWritten(join(place.work, name)))));
  /** It went on in its session, or began again with what it needs to know. */
  const expectContinued = (place: FlowPlace, told: string): void => {
    const last = place.agent.received().at(-1);
    expect(last?.endsWith(TASK)).toBe(true);
    if (!sessions) return;
    expect(last?.trimStart()).toBe(`${told}\n\n${TASK}`);
    expect(place.agent.requests?.().at(-1)?.conversation).toContain('I begin.');
  };

  test('a host that is killed in the middle of a tool: the old tree is gone before the session goes on', () =>
    on(AT_WORK, `const result = await f.agent('coder', { task: '${TASK}', cli: CLI, recoveryMode: 'inspect' }); ${DETAIL}`, async (place) => {
      const { child, report: killed } = place.run();
      const pids = await atWork(place);
      const before = place.calls().length;
      child.kill('SIGKILL');
      expect((await killed).signal).toBe('SIGKILL');
      const report = await place.resume().report;
      expect(report).toMatchObject({ ok: true, completionReason: 'success' });
      expect(JSON.parse(report.completionDetail ?? '')).toMatchObject({ summary: 'All is done.', artifacts: expect.arrayContaining(['tool.pid']) });
      expect(pids.filter(lives)).toEqual([]);
      expect(place.calls().slice(before).filter(({ alive }) => alive.length > 0)).toEqual([]);
      expectContinued(place, INTERRUPTED);
      const { now, later } = await nowAndLater(place.work);
      expect(later).toEqual(now);
    }));

  test('Ctrl-C stops everything at once, and the run can be resumed', () =>
    on(AT_WORK, `const result = await f.agent('coder', { task: '${TASK}', cli: CLI, recoveryMode: 'inspect' }); ${DETAIL}`, async (place) => {
      const { child, report: interrupted } = place.run();
      const pids = await atWork(place);
      child.kill('SIGINT');
      expect(await interrupted).toMatchObject({ exit: 130, status: 'interrupted' });
      expect(pids.filter(lives)).toEqual([]);
      expect(place.remains()).toEqual([]);
      const { now, later } = await nowAndLater(place.work);
      expect(later).toEqual(now);
      expect(await place.resume().report).toMatchObject({ ok: true, exit: 0 });
      expectContinued(place, INTERRUPTED);
    }));

  test('a timeout is a value, with what was said and the files that changed', async () => {
    // On a busy machine the agent may not have come so far in time; then it gets more.
    let isSeen = false;
    for (let timeout = startMs; !isSeen && timeout <= startMs * 8; timeout *= 2) {
      await on(AT_WORK, `const result = await f.agent('coder', { task: '${TASK}', cli: CLI, timeout: ${timeout} }); ${DETAIL}`, async (place) => {
        const report = await place.run().report;
        expect(report).toMatchObject({ ok: true, completionReason: 'success' });
        const result = JSON.parse(report.completionDetail ?? '') as { readonly summary: string };
        expect(result).toMatchObject({ completionReason: 'timeout' });
        if (!['alive.txt', 'tool.pid'].every((name) => existsSync(join(place.work, name)))) return;
        isSeen = true;
        expect(result).toMatchObject({ artifacts: expect.arrayContaining(['alive.txt', 'tool.pid']) });
        expect(result.summary).toContain('I begin.');
        const { now, later } = await nowAndLater(place.work);
        expect(later).toEqual(now);
      });
    }
    expect(isSeen).toBe(true);
  });

  test('what it wrote and used stands in the report, and its session goes on in another step', () =>
    on(
      part([{ do: 'write', path: 'written.txt', content: 'by the agent\n' }, { do: 'say', text: 'I wrote it.', usage: { input: 1_000, output: 50 } }], [{ do: 'say', text: 'I went on.', usage: { input: 30, output: 7 } }]),
      `const first = await f.agent('coder', { task: 'The first task.', cli: CLI });
       const second = await f.agent('coder', { task: 'The second task.', cli: CLI, ${sessions ? 'resume: first.sessionId' : ''} });
       f.done('success', { detail: JSON.stringify({ first, second }) });`,
      async (place) => {
        const report = await place.run().report;
        expect(report).toMatchObject({ ok: true });
        const { first, second } = JSON.parse(report.completionDetail ?? '') as Record<'first' | 'second', { readonly sessionId?: string }>;
        expect(first).toMatchObject({ completionReason: 'success', summary: 'I wrote it.', artifacts: ['written.txt'] });
        expect(second).toMatchObject({ completionReason: 'success', summary: 'I went on.', artifacts: [] });
        // The call of the tool is a request of its own.
        expect(report.spend.tokens).toBeGreaterThanOrEqual(1_087);
        expect(report.spend.tokens).toBeLessThan(2_000);
        if (dollars) {
          expect(report.spend.microDollars).toBeGreaterThan(0);
          expect(report.spend.unmetered).toBeUndefined();
        }
        if (!sessions) return;
        expect(second.sessionId).toBe(first.sessionId);
        expect(place.agent.requests?.().at(-1)?.conversation).toContain('The first task.');
      },
    ));

  test('two agents in one directory take turns', () =>
    on(
      part([{ do: 'run', command: 'mkdir busy || touch clash; sleep 1; rmdir busy' }, { do: 'say', text: 'ok' }]),
      `const result = await Promise.all(['one', 'two'].map((task) => f.agent(task, { task, cli: CLI }))); ${DETAIL}`,
      async (place) => {
        expect(await place.run().report).toMatchObject({ ok: true });
        expect([...place.agent.received()].sort()).toEqual(['one', 'two']);
        expect(existsSync(join(place.work, 'clash'))).toBe(false);
      },
    ));

  test('twenty questions in parallel need one probe', async () => {
    const probes: number[] = [];
    for (const count of [1, 20]) {
      await on(part([{ do: 'say', text: '42' }]), `const result = await Promise.all(Array.from({ length: ${count} }, (_, at) => f.llm\`Question \${at}.\`)); ${DETAIL}`, async (place) => {
        const report = await place.run().report;
        expect(report).toMatchObject({ ok: true });
        expect(JSON.parse(report.completionDetail ?? '')).toEqual(Array.from({ length: count }, () => '42'));
        expect([...place.agent.received()].sort()).toEqual(Array.from({ length: count }, (_, at) => `Question ${at}.`).sort());
        probes.push(place.calls().length - count);
      });
    }
    expect(probes[0]).toBeGreaterThan(0);
    expect(probes[1]).toBe(probes[0]);
  });

  if (record) {
    test('an error of the provider is told by the command as it is', () =>
      on(part([{ do: 'fail', because: 'unauthorized', text: 'Invalid API key.' }]), `const result = await f.agent('coder', { task: '${TASK}', cli: CLI, maxIterations: 3 }); ${DETAIL}`, async (place) => {
        const report = await place.run().report;
        expect(report).toMatchObject({ exit: 1, ok: false });
        expect(report.diagnostics.map(({ code }) => code)).toContain('cli_unauthenticated');
        expect(place.agent.received()).toEqual([TASK]);
      }));
  }
}
