import { flow, type AgentResult, type FlowBody, type FlowHeader } from '@relayflows/surface';
import { describe, expect, test } from 'vitest';
import { simulate, type RunCall, type SimulateOptions, type Simulation } from '../../src/testing/index.js';

const MINUTE = 60_000;

/** Simulates one body. */
async function play(body: FlowBody, options: SimulateOptions = {}, header: FlowHeader = {}): Promise<Simulation> {
  return await simulate(flow('subject', header, body), options);
}

/** What of the calls is worth comparing. */
function times({ calls }: Simulation): unknown[] {
  return calls.map(({ id, start, end, ending }) => [id, start, end, ending]);
}

describe('commands', () => {
  test('the script sees what the step asks for, and the step what the script answers', async () => {
    const seen: RunCall[] = [];
    let recorded: unknown;
    const simulation = await play(
      async (f) => {
        recorded = await f.run('make check', { onNonZero: 'record', env: { MODE: 'fast' }, cwd: 'packages/web', timeout: '90s', secrets: 'scrub' });
        f.done('success');
      },
      { env: { HOME: '/home/me', API_TOKEN: 'a-secret-of-mine' }, run: (call) => {
        seen.push(call);
        return { stdout: 'out a-secret-of-mine\n', stderr: 'err\n', exitCode: 3, takes: '1.5s' };
      } },
    );
    expect(seen).toEqual([{ kind: 'run', id: 'run-1', attempt: 1, start: 0, command: 'make check', env: { HOME: '/home/me', MODE: 'fast', RELAYFLOW_DATA_DIR: '/simulation/.relayflowd' }, cwd: 'packages/web', timeout: 90_000 }]);
    expect(recorded).toMatchObject({ ok: false, exitCode: 3, stdout: 'out [redacted:API_TOKEN]\n', stderr: 'err\n' });
    expect(simulation).toMatchObject({ verdict: { status: 'completed', completionReason: 'success' }, elapsed: 1_500, spend: { wallclock: 1_500 } });
  });

  test('one that takes longer than its timeout is stopped there', async () => {
    const simulation = await play(async (f) => {
      const result = await f.run('slow', { onNonZero: 'record', onTimeout: 'record', timeout: '5m' });
      f.done('success', { detail: `${result.exitCode} ${result.timedOut} ${result.stdout}` });
    }, { run: () => ({ stdout: 'half', takes: 5 * MINUTE + 1 }) });
    expect(simulation.verdict.detail).toBe('124 true half');
    expect(times(simulation)).toEqual([['run-1', 0, 5 * MINUTE, 'timeout']]);
  });

  test('one that takes exactly its timeout has ended', async () => {
    const simulation = await play(async (f) => f.done('success', { detail: await f.run('slow', { timeout: '5m' }) }), { run: () => ({ stdout: 'whole', takes: '5m' }) });
    expect(simulation.verdict).toEqual({ status: 'completed', completionReason: 'success', detail: 'whole' });
  });

  test.each([
    [{ exitCode: 2, stderr: 'no such thing' }, { code: 'step_failed', exitCode: 2, stderrTail: 'no such thing' }],
    [{ signal: 'SIGKILL' as const }, { code: 'crashed', signal: 'SIGKILL' }],
    [{ error: 'the machine has no memory left' }, { code: 'spawn_failed', message: 'run-1 could not be started: the machine has no memory left.' }],
    [{ takes: '16m' as const }, { code: 'lease_exceeded', message: 'run-1 was stopped after 15m.' }],
  ])('%j fails the step as it does outside', async (answer, cause) => {
    const { verdict } = await play(async (f) => {
      await f.run('one');
      f.done('success');
    }, { run: () => answer });
    expect(verdict).toMatchObject({ status: 'failed', completionReason: 'step_failed', cause: { severity: 'error', stepId: 'run-1', ...cause } });
  });

  test('a retry waits its time', async () => {
    const simulation = await play(async (f) => {
      await f.run('flaky', { retry: { attempts: 3, backoff: '10s' } });
      f.done('success');
    }, { run: ({ attempt }) => ({ exitCode: attempt === 3 ? 0 : 1, takes: '1m' }) });
    expect(times(simulation)).toEqual([['run-1', 0, MINUTE, 'answered'], ['run-1', MINUTE + 10_000, 2 * MINUTE + 10_000, 'answered'], ['run-1', 2 * MINUTE + 30_000, 3 * MINUTE + 30_000, 'answered']]);
  });

  test('a text is the standard output of a success', async () => {
    const { verdict } = await play(async (f) => f.done('success', { detail: await f.run('date') }), { run: () => 'Monday' });
    expect(verdict.detail).toBe('Monday');
  });

  test('the end of much output is kept, and what was dropped is counted', async () => {
    const { verdict } = await play(async (f) => {
      const { stdout, truncated } = await f.run('noise', { onNonZero: 'record' });
      f.done('success', { detail: `${stdout.length} ${stdout.slice(-3)} ${truncated?.stdout}` });
    }, { run: () => `${'x'.repeat(1024 * 1024)}end` });
    expect(verdict.detail).toBe('1048576 end 3');
  });
});

describe('agents', () => {
  test('the script sees what the step asks for, and the step what the script answers', async () => {
    const results: AgentResult[] = [];
    const simulation = await play(async (f) => {
      const first = await f.agent('builder', { task: 'Build it.', model: 'opus', timeout: '30m', cwd: 'web' });
      results.push(first);
      results.push(await f.agent('builder', { task: 'Go on.', cli: 'claude', cwd: 'web', ...(first.sessionId === undefined ? {} : { resume: first.sessionId }) }));
      f.done('success');
    }, { config: { cli: 'codex' }, agent: () => ({ message: 'Built.', artifacts: ['b.ts', 'a.ts'], takes: '20m' }) }, { agents: { builder: { cli: 'claude', model: 'sonnet' } } });
    expect(results[0]).toEqual({ completionReason: 'success', summary: 'Built.', artifacts: ['a.ts', 'b.ts'], sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
    expect(simulation.calls).toMatchObject([
      { kind: 'agent', id: 'agent-1', attempt: 1, name: 'builder', task: 'Build it.', cli: 'claude', model: 'opus', cwd: 'web', timeout: 30 * MINUTE, start: 0, end: 20 * MINUTE },
      { kind: 'agent', id: 'agent-2', name: 'builder', task: 'Go on.', cli: 'claude', model: 'sonnet', resume: results[0]?.sessionId, start: 20 * MINUTE },
    ]);
  });

  test('one that takes longer than its timeout resolves with a timeout, and is charged', async () => {
    const simulation = await play(async (f) => {
      const { completionReason, summary } = await f.agent('builder', { task: 'Build it.', timeout: '30m' });
      f.done('success', { detail: `${completionReason}: ${summary}` });
    }, { agent: () => ({ message: 'Nearly there.', takes: '2h', usage: { inputTokens: 100, outputTokens: 20, microDollars: 300 } }) });
    expect(simulation.verdict.detail).toBe('timeout: The agent was stopped after 30m. It had said: Nearly there.');
    expect(simulation.spend).toEqual({ wallclock: 30 * MINUTE, tokens: 120, microDollars: 300 });
  });

  test('a refusal keeps its code, and a lost one is tried again', async () => {
    const refused = await play(async (f) => {
      await f.agent('builder', { task: 'Build it.' });
      f.done('success');
    }, { agent: () => ({ error: 'The weekly limit is reached', code: 'provider_usage_limited' }) });
    expect(refused.verdict.cause).toMatchObject({ code: 'provider_usage_limited', stepId: 'agent-1' });

    const lost = await play(async (f) => {
      await f.agent('builder', { task: 'Build it.' });
      f.done('success');
    }, { agent: ({ attempt }) => (attempt === 1 ? { signal: 'SIGKILL', takes: '1m' } : 'Built.') });
    expect(lost.verdict.completionReason).toBe('success');
    expect(lost.calls).toMatchObject([{ attempt: 1, task: 'Build it.' }, { attempt: 2, start: MINUTE + 1_000, task: 'The previous turn was interrupted; check what is done before changing anything.\n\nBuild it.' }]);
  });

  test('what a lost one used of its time limit is gone for its repeat, which gets a minute at least', async () => {
    for (const [lostAfter, ended] of [[25, 30 * MINUTE], [30, 31 * MINUTE]] as const) {
      const simulation = await play(async (f) => {
        f.done('success', { detail: (await f.agent('builder', { task: 'Build it.', timeout: '30m' })).completionReason });
      }, { agent: ({ attempt }) => (attempt === 1 ? { signal: 'SIGKILL', takes: lostAfter * MINUTE } : { message: 'Still at it.', takes: '2h' }) });
      expect([simulation.verdict.detail, simulation.spend.wallclock]).toEqual(['timeout', ended]);
    }
  });

  test('a message that is one JSON object is the result', async () => {
    const { verdict } = await play(async (f) => f.done('success', { detail: JSON.stringify(await f.agent('judge', { task: 'Judge.' })) }), { agent: () => '{"verdict":"good"}' });
    expect(verdict.detail).toBe('{"verdict":"good"}');
  });

  test('what the CLI cannot do is refused: a session of another directory', async () => {
    const { verdict } = await play(async (f) => {
      const { sessionId = '' } = await f.agent('builder', { task: 'Build it.', cwd: 'one' });
      await f.agent('builder', { task: 'Go on.', cwd: 'two', resume: sessionId });
      f.done('success');
    }, { agent: () => 'Done.' });
    expect(verdict.cause).toMatchObject({ code: 'agent_cli_unresolved', stepId: 'agent-2' });
  });

  test('those of one directory take turns, and the wait is not charged', async () => {
    const simulation = await play(async (f) => {
      await Promise.all([f.agent('a', { task: 'A' }), f.agent('b', { task: 'B' }), f.agent('c', { task: 'C', cwd: 'other' })]);
      f.done('success');
    }, { agent: () => ({ message: 'Done.', takes: '10m' }) });
    expect(times(simulation)).toEqual([['agent-1', 0, 10 * MINUTE, 'answered'], ['agent-3', 0, 10 * MINUTE, 'answered'], ['agent-2', 10 * MINUTE, 20 * MINUTE, 'answered']]);
    expect(simulation.spend.wallclock).toBe(30 * MINUTE);
  });
});

describe('models', () => {
  test('text and JSON', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const simulation = await play(async (f) => {
      const word = await f.llm`Say a word about ${'sheep'}.`;
      const value = await f.llm('Give a number.', { output: schema });
      f.done('success', { detail: `${word} ${JSON.stringify(value)}` });
    }, { llm: (call) => (call.output === undefined ? 'wool' : { message: { n: 4 }, takes: '3s' }) });
    expect(simulation.verdict.detail).toBe('wool {"n":4}');
    expect(simulation.calls).toMatchObject([{ kind: 'llm', id: 'llm-1', prompt: 'Say a word about sheep.', cli: 'claude' }, { id: 'llm-2', output: schema, end: 3_000 }]);
  });

  test('a reply that does not fit its schema fails the step', async () => {
    const { verdict } = await play(async (f) => {
      await f.llm('Give a number.', { output: { type: 'number' } });
      f.done('success');
    }, { llm: () => 'four' });
    expect(verdict.cause).toMatchObject({ code: 'verification_failed', stepId: 'llm-1' });
  });
});

describe('people', () => {
  test('an answer comes after its time, to a run that was parked meanwhile', async () => {
    const simulation = await play(async (f) => {
      const before = await f.now();
      const merge = await f.human('Merge?', { to: '@alex' });
      f.done(merge ? 'success' : 'declined', { detail: String((await f.now()) - before) });
    }, { human: () => ({ answer: false, takes: '2d', note: 'Not today.' }) });
    expect(simulation.verdict).toEqual({ status: 'completed', completionReason: 'declined', detail: String(2 * 24 * 60 * MINUTE) });
    expect(simulation.calls).toMatchObject([{ kind: 'human', id: 'human-2', question: 'Merge?', to: '@alex', start: 0, end: 2 * 24 * 60 * MINUTE, ending: 'answered' }]);
  });

  test('nobody answers: parked', async () => {
    const simulation = await play(async (f) => {
      await f.human('Merge?', { to: '@alex' });
      f.done('success');
    }, { human: () => 'never' });
    expect(simulation.verdict).toEqual({ status: 'parked', completionReason: 'needs_human' });
    expect(simulation.report.humanWait).toEqual({ waitId: 'human-1', question: 'Merge?', to: '@alex' });
    expect(simulation.calls[0]).not.toHaveProperty('end');
  });

  test('several are asked at once, and the work beside them goes on', async () => {
    const order: string[] = [];
    const simulation = await play(async (f) => {
      const asked = async (who: string): Promise<void> => {
        await f.human(`${who}?`, { to: who });
        order.push(who);
      };
      await Promise.all([asked('late'), asked('soon'), f.run('make').then(() => order.push('make'))]);
      f.done('success');
    }, { run: () => ({ takes: '5m' }), human: ({ to }) => ({ answer: true, takes: to === 'late' ? '3h' : '1h' }) });
    // The run is executed again after each answer that found it parked.
    expect(order.slice(-3)).toEqual(['make', 'soon', 'late']);
    expect(simulation.calls.map(({ id }) => id)).toEqual(['run-3', 'human-1', 'human-2']);
    expect(simulation.elapsed).toBe(3 * 60 * MINUTE);
  });
});

describe('the run', () => {
  test('phases, warnings and the time of each', async () => {
    const simulation = await play(async (f) => {
      f.phase('building');
      await f.run('make');
      f.phase('checking');
      await f.agent('judge', { task: 'Judge.', model: 'nobody-knows-it' });
      f.done('success');
    }, { run: () => ({ takes: '3m' }), agent: () => 'Good.' }, { budget: '$5/run' });
    expect(simulation.phases).toEqual([{ name: 'building', at: 0 }, { name: 'checking', at: 3 * MINUTE }]);
    expect(simulation.warnings).toEqual([{ code: 'budget_unmetered', stepId: 'agent-2', text: 'The price of nobody-knows-it is not known, so its dollars are not counted.' }]);
  });

  test('a step is refused once the budget is crossed, not when it is reached', async () => {
    const body: FlowBody = async (f) => {
      await f.run('one');
      await f.run('two');
      await f.run('three');
      f.done('success');
    };
    const reached = await play(body, { run: () => ({ takes: '10m' }) }, { budget: { wallclock: '20m' } });
    expect(reached.verdict.completionReason).toBe('success');
    const crossed = await play(body, { run: () => ({ takes: '10m' }) }, { budget: { wallclock: '19m' } });
    expect(crossed.verdict).toMatchObject({ status: 'failed', completionReason: 'budget_exceeded', cause: { code: 'budget_exceeded', stepId: 'run-3', message: 'run-3 was not started: the limit of 19m of wallclock a run is crossed by 1m.' } });
    expect(crossed.calls.map(({ id }) => id)).toEqual(['run-1', 'run-2']);
  });

  test('a usage that the CLI does not state fails a step whose dollars are counted', async () => {
    const { verdict } = await play(async (f) => {
      await f.agent('builder', { task: 'Build it.', model: 'claude-opus-4-5' });
      f.done('success');
    }, { agent: () => ({ message: 'Built.', usage: null }) }, { budget: '$5/run' });
    expect(verdict.cause).toMatchObject({ code: 'worker_error', message: 'Agent "builder" did not report what it used of claude-opus-4-5, and the flow has a budget.' });
  });

  test('gates are asked: a command, a file, a predicate', async () => {
    const options: SimulateOptions = {
      run: (call) => (call.id === 'run-1.gate' ? { exitCode: call.stdin === 'good' ? 0 : 1, takes: '1m' } : { stdout: 'good', artifacts: ['dist/out.js'] }),
    };
    const simulation = await play(async (f) => {
      await f.run('make').gate({ type: 'subprocess_gate', command: 'test-it', from_output: [] });
      await f.run('make').gate({ type: 'artifact_exists', path: 'dist/out.js' });
      await f.run('make').gate((text) => text === 'good');
      await f.run('make').gate({ type: 'artifact_exists', path: 'dist/other.js' });
      f.done('success');
    }, options);
    expect(simulation.calls.map(({ id }) => id)).toEqual(['run-1', 'run-1.gate', 'run-2', 'run-3', 'run-4']);
    expect(simulation.verdict.cause).toMatchObject({ code: 'gate_failed', stepId: 'run-4', message: 'The gate artifact_exists of run-4 did not pass: dist/other.js does not exist.' });
  });

  test('children and hooks', async () => {
    const child = flow<{ n: number }>('child', async (f, { n }) => {
      await f.run(`child ${n}`);
      f.done('success', { detail: 'from the child' });
    });
    const parent = flow('parent', { use: ['./child.flow.ts'], hooks: ['allowed'] }, async (f) => {
      const { completionDetail } = await f.dispatch('child', { n: 7 });
      const allowed = await f.hook('allowed', { what: 'merge' });
      f.done(allowed ? 'success' : 'declined', completionDetail === undefined ? {} : { detail: completionDetail });
    });
    const simulation = await simulate(parent, { children: [child], hooks: { allowed: async (input) => await new Promise((resolve) => setTimeout(resolve, 5, JSON.stringify(input) !== '{"what":"merge"}')) }, run: () => ({ takes: '1m' }) });
    expect(simulation.calls).toMatchObject([{ id: 'dispatch-1--run-1', command: 'child 7' }]);
    expect(simulation.verdict).toEqual({ status: 'completed', completionReason: 'declined', detail: 'from the child' });
  });

  test('simulated time is what the flow reads, and identifiers are the same every time', async () => {
    const { verdict } = await play(async (f) => {
      const before = await f.now();
      await f.sleep('30d');
      f.done('success', { detail: `${new Date(before).toISOString()} ${new Date(await f.now()).toISOString()} ${await f.uuid()}` });
    }, { clock: new Date('2031-02-03T04:05:06Z') });
    expect(verdict.detail).toBe('2031-02-03T04:05:06.000Z 2031-03-05T04:05:06.000Z 00000000-0000-4000-8000-000000000002');
  });

  test('what fails in the body is the verdict, and what is refused before it is an error', async () => {
    const thrown = await play(async () => {
      throw new TypeError('no');
    });
    expect(thrown.verdict.cause).toMatchObject({ code: 'body_failed', message: 'TypeError: no' });
    const forgotten = await play(async (f) => void (await f.now()));
    expect(forgotten.verdict.cause?.code).toBe('missing_completion');
    await expect(play(async (f) => f.done('success'), {}, { budget: '5 dollars' })).rejects.toMatchObject({ code: 'budget_syntax_invalid' });
    await expect(play(async (f) => f.done('success'), { input: 1n })).rejects.toMatchObject({ code: 'input_invalid' });
    const unnamed = await play(async (f) => {
      await f.agent('builder', { task: 'Build it.' });
      f.done('success');
    }, { config: {}, agent: () => 'Built.' });
    expect(unnamed.verdict.cause?.code).toBe('cli_unresolved');
    const unsupported = await play(async (f) => {
      await f.agent('builder', { task: 'Build it.', cli: 'cursor' });
      f.done('success');
    }, { agent: () => 'Built.' });
    expect(unsupported.verdict.cause?.code).toBe('cli_unsupported');
  });

  test('what is still running when the flow ends is canceled', async () => {
    const simulation = await play(async (f) => {
      await Promise.race([f.run('long'), f.run('short')]);
      f.done('success');
    }, { run: ({ command }) => ({ takes: command === 'long' ? '10m' : '1m' }) });
    expect(times(simulation)).toEqual([['run-1', 0, MINUTE, 'canceled'], ['run-2', 0, MINUTE, 'answered']]);
    expect(simulation.elapsed).toBe(MINUTE);
  });
});
