import { mkdirSync, writeFileSync } from 'node:fs';
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
  const warnings: string[] = [];
  const handle = flow('subject', async (f: Ctx) => {
    try {
      seen.value = await f.agent('coder', { task: 'The task.', cli: '/bin/sh', recoveryMode: 'inspect', ...options });
    } catch (error) {
      seen.error = error;
    }
    f.done('success');
  });
  const runtime = createRuntime({ journal: adoptable(createMemoryJournal({ store })), dataDir, flows: { subject: { version: '1.0.0', flow: handle } }, agents: [agent], onEvent: (event) => { if (event.type === 'warning') warnings.push(event.code); } });
  runtimes.push(runtime);
  return { runtime, seen, warnings };
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

describe('a session that is gone', () => {
  const gone: AgentOutcome = { class: 'failed', code: 'worker_error', text: 'no such session', hint: 'Begin a new one.', sessionUnknown: true };
  const usage = (outcome: AgentOutcome, id?: string) => (request: AgentRequest): AgentOutcome => {
    request.onEvent({ type: 'usage', inputTokens: 10, outputTokens: 1 });
    if (id !== undefined) request.onEvent({ type: 'session', sessionId: id });
    request.onEvent({ type: 'message', text: 'half done' });
    return outcome;
  };

  it.each(['anywhere', 'same_directory'] as const)('is begun anew in the same attempt when the runtime chose to continue it, with the end of the transcript (%s)', async (resume) => {
    const agent = adapter({ resume }, usage(lost, 's-1'), usage(gone), usage(success, 's-2'));
    const { runtime, seen, warnings } = runtimeWith(agent);
    const report = await runtime.run('subject', { cwd: folder() }).result;
    expect(seen.value).toEqual({ completionReason: 'success', summary: 'done', artifacts: [], sessionId: 's-2' });
    expect(agent.calls.map(({ session }) => session)).toEqual([undefined, { kind: 'resume', id: 's-1' }, undefined]);
    expect(agent.calls[2]?.task).toMatch(/An earlier attempt.*agent: half done.*The task\.$/s);
    expect(warnings).toContain('session_lost');
    // Every turn is paid for, the lost one and both of the second attempt.
    expect(report.spend.tokens).toBe(33);
    expect(report.steps[0]).toMatchObject({ attempt: 2 });
  });

  it('fails the step when the author asked for it, with what the CLI says', async () => {
    const agent = adapter({}, () => gone);
    const { runtime, seen } = runtimeWith(agent, { resume: 'own-1' });
    await runtime.run('subject', { cwd: folder() }).result;
    expect(seen.error).toMatchObject({ code: 'worker_error', text: 'Agent "coder" failed: no such session.', hint: 'Begin a new one.' });
    expect(agent.calls).toHaveLength(1);
  });

  it('leaves what is left of the time limit to the new one', async () => {
    const limits: (number | undefined)[] = [];
    const slow = (outcome: AgentOutcome) => async (request: AgentRequest): Promise<AgentOutcome> => {
      limits.push(request.timeoutMs);
      request.onEvent({ type: 'session', sessionId: 's-1' });
      await new Promise((resolve) => { setTimeout(resolve, 60); });
      return outcome;
    };
    const agent = adapter({}, slow(lost), slow(gone), slow(success));
    const { runtime } = runtimeWith(agent, { timeout: '1m' });
    await runtime.run('subject', { cwd: folder() }).result;
    const [first, second, third] = limits;
    expect([first, second]).toEqual([60_000, 60_000]);
    expect(third).toBeLessThan(59_960);
  });
});

describe('a session of another directory', () => {
  async function elsewhere(resume: 'same_directory' | 'anywhere') {
    const agent = adapter({ resume }, named('s-1', success), () => success);
    const seen: { error?: unknown } = {};
    const cwd = folder();
    for (const name of ['a', 'b']) mkdirSync(join(cwd, name));
    const handle = flow('subject', async (f: Ctx) => {
      const { sessionId } = await f.agent('one', { task: 'x', cli: '/bin/sh', cwd: 'a' });
      await f.agent('two', { task: 'x', cli: '/bin/sh', cwd: 'b', ...(sessionId === undefined ? {} : { resume: sessionId }) }).then(undefined, (error: unknown) => {
        seen.error = error;
      });
      await f.agent('three', { task: 'x', cli: '/bin/sh', cwd: 'a', ...(sessionId === undefined ? {} : { resume: sessionId }) });
      f.done('success');
    });
    const runtime = createRuntime({ journal: adoptable(createMemoryJournal({ store: createMemoryStore() })), dataDir: join(folder(), 'data'), flows: { subject: { version: '1.0.0', flow: handle } }, agents: [agent] });
    runtimes.push(runtime);
    await runtime.run('subject', { cwd }).result;
    return { agent, cwd, error: seen.error };
  }

  it('is refused before anything is spent where the CLI finds it only at home, and continued at home', async () => {
    const { agent, cwd, error } = await elsewhere('same_directory');
    expect(error).toMatchObject({ code: 'agent_cli_unresolved', text: expect.stringContaining(`session s-1 in ${join(cwd, 'b')}, and it belongs to ${join(cwd, 'a')}`) });
    expect(agent.calls.map(({ session }) => session)).toEqual([undefined, { kind: 'resume', id: 's-1' }]);
  });

  it('is continued where the CLI finds it anywhere', async () => {
    const { agent, error } = await elsewhere('anywhere');
    expect(error).toBeUndefined();
    expect(agent.calls).toHaveLength(3);
  });
});

describe('every class of the port reaches the report', () => {
  it.each([
    ['failed', { class: 'failed', code: 'cli_unauthenticated', text: 'not signed in', hint: 'Sign in.', evidence: { exitCode: 4, stderrTail: 'who are you' } }, { code: 'cli_unauthenticated', completionReason: 'worker_error', hint: 'Sign in.', exitCode: 4, stderrTail: 'who are you' }, 1],
    ['failed by an outage', { class: 'failed', code: 'provider_unavailable', text: 'overloaded', hint: 'Try later.' }, { code: 'provider_unavailable', completionReason: 'retries_exhausted', hint: 'Try later.' }, 3],
    ['failed at a limit', { class: 'failed', code: 'provider_usage_limited', text: 'limit reached', hint: 'Wait.' }, { code: 'provider_usage_limited', completionReason: 'worker_error', hint: 'Wait.', resetsAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/), message: expect.stringMatching(/failed: limit reached\. The limit resets at \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC, in 2 h(?: 1 min)?\.$/) }, 1],
    ['lost', { class: 'lost', code: undefined, text: 'killed by SIGSEGV', hint: 'Look at it.' }, { code: 'crashed', completionReason: 'retries_exhausted', hint: 'Look at it.' }, 4],
  ] as const)('%s', async (_what, outcome, expected, calls) => {
    const agent = adapter({ resume: 'no' }, (request) => {
      request.onEvent({ type: 'usage', inputTokens: 100, outputTokens: 10 });
      return outcome.code === 'provider_usage_limited' ? { ...outcome, resetsAt: Date.now() + 2 * 3_600_000 + 30_000 } : outcome;
    });
    const { runtime, seen } = runtimeWith(agent, { maxIterations: 3 });
    const report = await runtime.run('subject', { cwd: folder() }).result;
    expect(report.diagnostics[0]).toMatchObject({ severity: 'error', stepId: 'agent-1', stepType: 'agent', transcriptPath: expect.stringMatching(/attempt-\d\.transcript\.jsonl$/), ...expected });
    expect(report.diagnostics[0]?.message).toMatch(/^Agent "coder" .*\.$/);
    expect(seen.error).toMatchObject({ code: expected.code, evidence: { maxIterations: 3, transcriptPath: expect.any(String) } });
    expect(agent.calls).toHaveLength(calls);
    // The tokens of every failed attempt are on the account.
    expect(report.spend.tokens).toBe(110 * calls);
  });

  it('an adapter that breaks is a failure, and what it had used is charged', async () => {
    const agent = adapter({}, (request) => {
      request.onEvent({ type: 'model', model: 'claude-opus-4-7' });
      request.onEvent({ type: 'usage', inputTokens: 100, outputTokens: 10 });
      throw new Error('undefined is not a function');
    });
    const { runtime } = runtimeWith(agent);
    const report = await runtime.run('subject', { cwd: folder() }).result;
    expect(report.diagnostics[0]).toMatchObject({ code: 'worker_error', message: 'Agent "coder" failed: the adapter "fake" broke: undefined is not a function.', hint: expect.stringContaining('bug of the adapter') });
    expect(report.spend).toMatchObject({ tokens: 110, microDollars: 750 });
    expect(report.spend).not.toHaveProperty('unmetered');
  });

  it('names what a failed turn had changed', async () => {
    const cwd = folder();
    const agent = adapter({}, () => {
      writeFileSync(join(cwd, 'half.txt'), '');
      return { class: 'failed', code: 'worker_error', text: 'no' };
    });
    const { runtime, seen } = runtimeWith(agent);
    await runtime.run('subject', { cwd }).result;
    expect(seen.error).toMatchObject({ evidence: { artifacts: ['half.txt'], artifactCount: 1 } });
  });

  it('a limit is not tried again by a resume either: its outcome is recorded', async () => {
    const store = createMemoryStore();
    const dataDir = join(folder(), 'data');
    const agent = adapter({}, () => ({ class: 'failed', code: 'provider_usage_limited', text: 'limit reached' }));
    const { runtime } = runtimeWith(agent, { maxIterations: 5, transportRetries: 5 }, store, dataDir);
    const run = runtime.run('subject', { cwd: folder() });
    const report = await run.result;
    expect(await runtime.resume(run.id).result).toMatchObject({ diagnostics: report.diagnostics, spend: report.spend });
    expect(agent.calls).toHaveLength(1);
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
