import { join } from 'node:path';
import { flow, type AgentOptions, type Ctx } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { INTERRUPTED } from '../../src/agents/continuation.js';
import type { AgentAbilities, AgentAdapter, AgentOutcome, AgentRequest } from '../../src/agents/port.js';
import { createMemoryJournal, createMemoryStore } from '../../src/journal/memory.js';
import { createRuntime } from '../../src/run/create-runtime.js';
import type { Runtime } from '../../src/run/runtime.js';
import { adoptable } from '../run/harness.js';
import { folder, until } from './fixture.js';

const runtimes: Runtime[] = [];
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close()));
});

interface Call {
  readonly task: string;
  readonly session: AgentRequest['session'];
}

/** An adapter without a CLI: each turn is a function of its request. */
function adapter(abilities: Partial<AgentAbilities>, ...turns: ((request: AgentRequest) => AgentOutcome | Promise<AgentOutcome>)[]): AgentAdapter & { readonly calls: Call[] } {
  const calls: Call[] = [];
  return {
    name: 'fake', calls,
    abilities: { resume: 'anywhere', choosesSessionId: false, enforces: [], ...abilities },
    matches: () => true,
    probe: ({ executable }) => Promise.resolve({ executable }),
    async execute(request) {
      calls.push({ task: request.task, session: request.session });
      const outcome = await turns[Math.min(calls.length, turns.length) - 1]?.(request);
      return { outcome: outcome ?? { class: 'canceled' }, warnings: [] };
    },
  };
}

/** A turn in which the CLI names its session before it ends. */
const named = (id: string | undefined, outcome: AgentOutcome) => (request: AgentRequest): AgentOutcome => {
  request.onEvent({ type: 'session', sessionId: id ?? request.session?.id ?? '' });
  return outcome;
};
const lost: AgentOutcome = { class: 'lost', text: 'gone' };
const success: AgentOutcome = { class: 'success', message: 'done' };

function runtimeWith(agent: AgentAdapter, options: Partial<AgentOptions> = {}, store = createMemoryStore(), dataDir = join(folder(), 'data')) {
  const seen: { value?: unknown; error?: unknown } = {};
  const handle = flow('subject', async (f: Ctx) => {
    try {
      seen.value = await f.agent('coder', { task: 'The task.', cli: '/bin/sh', recoveryMode: 'inspect', ...options });
    } catch (error) {
      seen.error = error;
    }
    f.done('success');
  });
  const runtime = createRuntime({ journal: adoptable(createMemoryJournal({ store })), dataDir, flows: { subject: { version: '1.0.0', flow: handle } }, agents: [agent] });
  runtimes.push(runtime);
  return { runtime, seen };
}

describe('sessions', () => {
  it('a lost connection goes on in the session the CLI named', async () => {
    const agent = adapter({}, named('s-1', lost), () => success);
    const { runtime, seen } = runtimeWith(agent);
    await runtime.run('subject', { cwd: folder() }).result;
    expect(agent.calls).toEqual([{ task: 'The task.', session: undefined }, { task: `${INTERRUPTED}\n\nThe task.`, session: { kind: 'resume', id: 's-1' } }]);
    expect(seen.value).toEqual({ completionReason: 'success', summary: 'done', artifacts: [], sessionId: 's-1' });
  });

  it('a session that the CLI never confirmed is not continued', async () => {
    const agent = adapter({ choosesSessionId: true }, () => lost, named(undefined, success));
    const { runtime, seen } = runtimeWith(agent);
    await runtime.run('subject', { cwd: folder() }).result;
    const [first, second] = agent.calls;
    expect([first?.session?.kind, second?.session?.kind]).toEqual(['new', 'new']);
    expect(second?.session?.id).not.toBe(first?.session?.id);
    expect(second?.task).toContain('The task.');
    expect(seen.value).toMatchObject({ sessionId: second?.session?.id });
  });

  it('a session the author names is continued, and given back', async () => {
    const agent = adapter({}, () => success);
    const { runtime, seen } = runtimeWith(agent, { resume: 'own-1' });
    await runtime.run('subject', { cwd: folder() }).result;
    expect(agent.calls).toEqual([{ task: 'The task.', session: { kind: 'resume', id: 'own-1' } }]);
    expect(seen.value).toMatchObject({ sessionId: 'own-1' });
  });

  it('a new iteration begins a new session', async () => {
    const agent = adapter({}, named('s-1', { class: 'failed', code: 'worker_error', text: 'no' }), () => success);
    const { runtime } = runtimeWith(agent, { maxIterations: 2 });
    await runtime.run('subject', { cwd: folder() }).result;
    expect(agent.calls).toEqual([{ task: 'The task.', session: undefined }, { task: 'The task.', session: undefined }]);
  });

  it('survives the process: a resumed run continues the session', async () => {
    const store = createMemoryStore();
    const dataDir = join(folder(), 'data');
    const cwd = folder();
    const agent = adapter({}, async (request) => {
      request.onEvent({ type: 'session', sessionId: 's-1' });
      await new Promise((resolve) => request.signal?.addEventListener('abort', resolve));
      return { class: 'canceled' };
    }, () => success);
    const first = runtimeWith(agent, {}, store, dataDir).runtime;
    const handle = first.run('subject', { cwd });
    await until(() => agent.calls.length === 1, 'the agent is at work');
    await handle.interrupt();
    await handle.result;
    await first.close();
    const second = runtimeWith(agent, {}, store, dataDir);
    expect((await second.runtime.resume(handle.id).result).ok).toBe(true);
    expect(agent.calls[1]).toEqual({ task: `${INTERRUPTED}\n\nThe task.`, session: { kind: 'resume', id: 's-1' } });
  });
});

describe('prices', () => {
  it('what the CLI states is charged', async () => {
    const agent: AgentAdapter = { ...adapter({}), execute: () => Promise.resolve({ outcome: success, usage: { inputTokens: 10, outputTokens: 5, microDollars: 1_234 }, warnings: [{ code: 'late_exit', text: 'exited with 1 after its result' }] }) };
    const { runtime } = runtimeWith(agent);
    const report = await runtime.run('subject', { cwd: folder() }).result;
    expect(report.spend).toMatchObject({ tokens: 15, microDollars: 1_234 });
    expect(report.dollarsUnmetered).toBeUndefined();
    expect(report.diagnostics).toContainEqual(expect.objectContaining({ severity: 'warning', code: 'late_exit' }));
  });
});
