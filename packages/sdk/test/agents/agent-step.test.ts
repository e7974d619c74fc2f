import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOptions, AgentResult, Ctx } from '@relayflows/surface';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/journal/memory.js';
import type { RunEvent } from '../../src/run/events.js';
import { folder, isAlive, scriptedAgent, until, withinTime, type Act, type Script } from './fixture.js';
import { play, repository, runtimeOn, turns } from './play.js';

describe('the result', () => {
  it('is the last message and the files that changed', async () => {
    const { value, report, events } = await play(turns([{ write: { path: 'src/new.txt', content: 'x' } }, { say: 'I wrote a file.\n' }]));
    expect(value).toEqual({ completionReason: 'success', summary: 'I wrote a file.', artifacts: ['src/new.txt'] });
    expect(report.ok).toBe(true);
    expect(events.filter(({ type }) => type === 'step.agent')).toHaveLength(1);
  });

  it('is the object itself when the message is exactly one', async () => {
    expect((await play<unknown>(turns([{ write: { path: 'a', content: '' } }, { say: '{"verdict": "yes"}\n' }]))).value).toEqual({ verdict: 'yes' });
  });

  it('is redacted, like its transcript', async () => {
    const { value, report } = await play(turns([{ say: 'The token is very-secret-value.' }]), {}, { runtime: { env: { ...process.env, API_TOKEN: 'very-secret-value' } } });
    expect(value?.summary).toBe('The token is [redacted:API_TOKEN].');
    expect(JSON.stringify(report)).not.toContain('very-secret-value');
  });

  it('works in the cwd of the step, and lists artifacts relative to it', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'packages/a'), { recursive: true });
    const { value, agent } = await play(turns([{ write: { path: 'x', content: '' } }, { say: 'ok' }]), { cwd: 'packages/a' }, { cwd });
    expect(value?.artifacts).toEqual(['x']);
    expect(agent.log().find(({ task }) => task !== undefined)?.cwd).toBe(realpathSync(join(cwd, 'packages/a')));
  });

  it.each([
    ['does not exist', 'nowhere'],
    ['leads outside', 'outside'],
  ])('is worker_error, with nothing started, when the cwd %s', async (_what, name) => {
    const cwd = folder();
    execFileSync('ln', ['-s', folder(), join(cwd, 'outside')]);
    const { error, agent } = await play(turns([{ say: 'x' }]), { cwd: name }, { cwd });
    expect(error).toMatchObject({ code: 'worker_error' });
    expect(agent.log()).toEqual([]);
  });
});

describe('timeout', () => {
  it('resolves with what is known, leaves the directory, and stops everything', async () => {
    const acts: Act[] = [{ say: 'half way\n' }, { write: { path: 'kept.txt', content: '' } }, { detach: 'sleep 60' }, { ignoreTerm: true }, { hang: true }];
    const { limitMs, value, report, agent, cwd } = await withinTime(
      async (limit) => ({ limitMs: limit, ...(await play(turns(acts), { timeout: `${limit / 1_000}s` })) }),
      (played) => played.agent.log().some(({ hangs }) => hangs),
    );
    expect(value).toEqual({ completionReason: 'timeout', summary: `The agent was stopped after ${limitMs / 1_000}s. It had said: half way`, artifacts: ['kept.txt'] });
    expect(report.ok).toBe(true);
    expect(existsSync(join(cwd, 'kept.txt'))).toBe(true);
    expect(agent.log().flatMap(({ pid, detached }) => [pid, detached]).filter((pid) => pid !== undefined && isAlive(pid))).toEqual([]);
    expect(report.spend.wallclock).toBeGreaterThanOrEqual(limitMs);
  });
});

describe('failures', () => {
  it('of the agent are worker_error, once, with its last words', async () => {
    const { error, report, agent } = await play(turns([{ stderr: 'no disk left\n' }, { exit: 9 }]));
    expect(error).toMatchObject({ code: 'worker_error', message: expect.stringContaining('no disk left'), evidence: { exitCode: 9, iteration: 1 } });
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(1);
    expect(report.completionReason).toBe('step_failed');
  });

  it('are repeated as whole attempts, in a directory that was put back', async () => {
    const cwd = repository({ 'a.txt': 'a\n' });
    const { value, agent, warnings } = await play(turns([{ write: { path: 'a.txt', content: 'broken' } }, { write: { path: 'junk', content: 'x' } }, { exit: 1 }], [{ sh: 'cat a.txt > seen.txt' }, { say: 'fixed' }]), { maxIterations: 2 }, { cwd });
    expect(value).toEqual({ completionReason: 'success', summary: 'fixed', artifacts: ['seen.txt'] });
    expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe('a\n');
    expect(agent.log().flatMap(({ task }) => (task === undefined ? [] : [task]))).toEqual(['Do it.', 'Do it.']);
    expect(warnings).toEqual(['recovery_reset']);
    const ref = execFileSync('git', ['for-each-ref', '--format=%(refname)', 'refs/relayflow'], { cwd, encoding: 'utf8' }).trim();
    expect(ref).toMatch(/^refs\/relayflow\/abandoned\/[a-z0-9]+\/agent-1\/1$/);
    expect(execFileSync('git', ['show', `${ref}:junk`], { cwd, encoding: 'utf8' })).toBe('x');
  });

  it.each([
    // The second agent waits for its turn, and has it between the two attempts of the first.
    ['another agent had its turn in it', (f: Ctx, path: string) => f.agent('second', { task: 'x', cli: path }), false],
    ['a command ran meanwhile', (f: Ctx) => f.run('while [ ! -e junk ]; do sleep 0.02; done; echo x > work.txt'), false],
    // The second agent waits as well, and has its turn when all is over.
    ['nobody else had', (f: Ctx, path: string) => f.agent('second', { task: 'x', cli: path }), true],
  ])('do not put back a directory in which %s', async (_what, other, reset) => {
    const cwd = repository({ 'a.txt': 'a\n' });
    const lost: Act[] = [{ write: { path: 'junk', content: 'x' } }, { sh: reset ? 'true' : 'for i in $(seq 10); do [ -e work.txt ] && break; sleep 0.05; done' }, { kill: 'SIGKILL' }];
    const first = scriptedAgent(turns(lost, [{ say: 'done' }]));
    const second = scriptedAgent(turns([{ write: { path: 'work.txt', content: 'x' } }, { say: 'x' }]));
    const warnings: string[] = [];
    const runtime = runtimeOn(createMemoryStore(), join(folder(), 'data'), 'subject', async (f) => {
      const begun = f.agent('first', { task: 'x', cli: first.path }).then(() => undefined);
      if (reset) await begun;
      await Promise.all([begun, other(f, second.path).then(() => undefined)]);
      f.done('success');
    }, { onEvent: (event) => { if (event.type === 'warning') warnings.push(event.text); } });
    expect((await runtime.run('subject', { cwd }).result).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(existsSync(join(cwd, 'work.txt'))).toBe(true);
    expect(existsSync(join(cwd, 'junk'))).toBe(!reset);
    expect(warnings).toEqual([expect.stringMatching(reset ? /was put back to what it was/ : /was not reset, because (?:agent|run)-2 may have worked in it since\.$/)]);
  });

  it('end as retries_exhausted when the attempts are used up', async () => {
    const { error, agent } = await play(turns([{ exit: 1 }]), { maxIterations: 2, recoveryMode: 'inspect' });
    expect(error).toMatchObject({ code: 'worker_error', completionReason: 'retries_exhausted' });
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(2);
  });

  it('of the connection are retried once, from what is there when nothing can be put back', async () => {
    const { value, agent, warnings } = await play(turns([{ write: { path: 'a', content: '1' } }, { kill: 'SIGKILL' }], [{ sh: 'cat a > b' }, { say: 'done' }]));
    expect(value).toEqual({ completionReason: 'success', summary: 'done', artifacts: ['a', 'b'] });
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(2);
    expect(warnings).toEqual(['recovery_inspect']);
  });

  it.each([
    ['with transportRetries 0', { transportRetries: 0 }, 1, 'crashed'],
    ['twice', {}, 2, 'retries_exhausted'],
    ["with recoveryMode 'manual'", { recoveryMode: 'manual' as const }, 1, 'crashed'],
  ])('of the connection end the step %s', async (_what, options, calls, completionReason) => {
    const { error, agent } = await play(turns([{ kill: 'SIGKILL' }]), options);
    expect(error).toMatchObject({ code: 'crashed', completionReason });
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(calls);
  });

  it('for a usage limit are never repeated', async () => {
    const { error, agent } = await play(turns([{ stderr: 'usage limit reached\n' }, { kill: 'SIGTERM' }]), { maxIterations: 3, transportRetries: 3 });
    expect(error).toMatchObject({ code: 'provider_usage_limited' });
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(1);
  });

  it.each([
    ['no CLI', { cli: undefined }, 'cli_unresolved'],
    ['a missing one', { cli: './nowhere' }, 'cli_missing'],
    ['one without an adapter', { cli: 'cursor' }, 'cli_unsupported'],
    ['an unusable model', { model: 'a b' }, 'model_unknown'],
    ['a session of a CLI that keeps none', { resume: 's1' }, 'agent_cli_unresolved'],
  ])('%s: %j', async (_what, options, code) => {
    expect((await play(turns([{ say: 'x' }]), options as Partial<AgentOptions>)).error).toMatchObject({ code });
  });

  it('names permissions that nobody enforces, and only those', async () => {
    const { events, warnings } = await play(turns([{ say: 'x' }]), { permissions: { accessPreset: 'readonly', fileGlobs: ['a'], networkAllowlist: ['example.com', 'npmjs.org'] } });
    expect(warnings).toEqual(['permissions_unenforced']);
    expect(events.find(({ type }) => type === 'warning')).toMatchObject({ text: expect.stringMatching(/^\/.* cannot be held to the networkAllowlist of agent "coder" \(example\.com, npmjs\.org\): it can reach every host/) });
    expect((await play(turns([{ say: 'x' }]), { permissions: { accessPreset: 'readwrite', fileGlobs: ['a'] } })).warnings).toEqual([]);
  });
});

describe('the account', () => {
  const spent = turns([{ result: { output: 'x', usage: { input_tokens: 100, output_tokens: 20 } } }]);

  it('counts tokens, and says that dollars are not counted', async () => {
    const { report, warnings } = await play(spent, {}, { header: { budget: { dollars: 1, tokens: 1_000 } } });
    expect(report.spend).toMatchObject({ tokens: 120, microDollars: 0 });
    expect(report.dollarsUnmetered).toBe(true);
    expect(warnings).toEqual(['budget_unmetered']);
  });

  it('warns about nothing when there is no budget', async () => {
    expect((await play(spent)).warnings).toEqual([]);
  });
});

describe('what a step shares', () => {
  it('one probe per CLI and model, however many start at once', async () => {
    const agent = scriptedAgent(turns([{ say: 'x' }]));
    const runtime = runtimeOn(createMemoryStore(), join(folder(), 'data'), 'many', async (f) => {
      await Promise.all(Array.from({ length: 6 }, (_, i) => f.llm(`question ${i}`, { output: {}, cli: agent.path }).then(undefined, () => undefined)));
      await Promise.all([1, 2].map((i) => f.agent(`a${i}`, { task: 'x', cli: agent.path })));
      f.done('success');
    });
    await runtime.run('many', { cwd: folder() }).result;
    expect(agent.log().filter(({ asked }) => asked === 'auth')).toHaveLength(1);
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(8);
  });

  it('agents of one directory take turns, others run beside them', async () => {
    const cwd = folder();
    for (const name of ['a', 'b']) mkdirSync(join(cwd, name));
    // Each waits until it has seen an agent in the other directory, and fails when it meets one in its own.
    const agent = scriptedAgent(turns([{ sh: 'mkdir busy && for i in $(seq 600); do [ -e ../a/busy ] && [ -e ../b/busy ] && break; [ -e ../once ] && break; sleep 0.05; done; touch ../once; rmdir busy' }, { say: 'x' }]));
    let results: AgentResult[] = [];
    const runtime = runtimeOn(createMemoryStore(), join(folder(), 'data'), 'turns', async (f) => {
      results = await Promise.all(['a', 'a', 'b', 'a'].map((name, i) => f.agent(`${i}`, { task: 'x', cli: agent.path, cwd: name })));
      f.done('success');
    });
    const report = await runtime.run('turns', { cwd }).result;
    expect(report.diagnostics).toEqual([]);
    expect(results).toHaveLength(4);
  });
});

describe('a host that stops in the middle', () => {
  /** Interrupts a run while its agent is at work, and resumes it in another runtime. */
  async function interrupted(script: Script, options: Partial<AgentOptions>, cwd: string) {
    const agent = scriptedAgent(script);
    const store = createMemoryStore();
    const dataDir = join(folder(), 'data');
    const events: RunEvent[] = [];
    let value: AgentResult | undefined;
    const body = async (f: Ctx): Promise<void> => {
      value = await f.agent('coder', { task: 'Do it.', cli: agent.path, ...options });
      f.done('success');
    };
    const first = runtimeOn(store, dataDir, 'subject', body);
    const handle = first.run('subject', { cwd });
    await until(() => existsSync(join(cwd, 'half')), 'the agent is half way');
    await handle.interrupt();
    expect((await handle.result).status).toBe('interrupted');
    await first.close();
    const second = runtimeOn(store, dataDir, 'subject', body, { onEvent: (event) => events.push(event) });
    const report = await second.resume(handle.id).result;
    return { report, value, agent, events };
  }

  const halfWay: Act[] = [{ write: { path: 'half', content: 'x' } }, { hang: true }];

  it('starts afresh with the end of the transcript, and still reports everything the step changed', async () => {
    const cwd = folder();
    const { value, agent, report } = await interrupted(turns(halfWay, [{ write: { path: 'other', content: 'x' } }, { say: 'done' }]), { recoveryMode: 'inspect' }, cwd);
    expect(report.ok).toBe(true);
    expect(value?.artifacts).toEqual(['half', 'other']);
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(2);
  });

  it('puts the directory back first', async () => {
    const cwd = repository({ 'a.txt': 'a\n' });
    const { value } = await interrupted(turns(halfWay, [{ sh: 'ls > ../listing || true' }, { write: { path: 'other', content: 'x' } }, { say: 'done' }]), {}, cwd);
    expect(value?.artifacts).toEqual(['other']);
    expect(existsSync(join(cwd, 'half'))).toBe(false);
  });

  it("stops for a person when the recovery mode is 'manual'", async () => {
    const cwd = folder();
    const { report, agent } = await interrupted(turns(halfWay), { recoveryMode: 'manual' }, cwd);
    expect(report.diagnostics).toContainEqual(expect.objectContaining({ code: 'crashed' }));
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(1);
    expect(existsSync(join(cwd, 'half'))).toBe(true);
  });
});

describe('canceling', () => {
  it('stops an agent at work and one that waits for its turn', async () => {
    const cwd = folder();
    const agent = scriptedAgent(turns([{ write: { path: 'half', content: '' } }, { hang: true }]));
    const runtime = runtimeOn(createMemoryStore(), join(folder(), 'data'), 'subject', async (f) => {
      await Promise.all([f.agent('a', { task: 'x', cli: agent.path }), f.agent('b', { task: 'x', cli: agent.path })]);
      f.done('success');
    });
    const handle = runtime.run('subject', { cwd });
    await until(() => existsSync(join(cwd, 'half')), 'the first agent is at work');
    await handle.cancel();
    expect((await handle.result).completionReason).toBe('canceled');
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(1);
    expect(existsSync(join(cwd, 'half'))).toBe(true);
    expect(agent.log().flatMap(({ pid }) => (pid !== undefined && isAlive(pid) ? [pid] : []))).toEqual([]);
  });
});
