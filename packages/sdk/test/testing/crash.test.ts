import { flow, type FlowBody, type FlowHeader } from '@relayflows/surface';
import { describe, expect, test } from 'vitest';
import { simulate, type SimulateOptions, type Simulation } from '../../src/testing/index.js';

const MINUTE = 60_000;

/** Every kind of step, one after the other and side by side. */
const everything = flow('everything', { hooks: ['ready'], budget: { wallclock: '5h' } }, async (f) => {
  f.phase('making');
  const at = await f.now();
  const made = await f.run('make');
  const [built, checked] = await Promise.all([f.agent('builder', { task: made, timeout: '1h' }), f.run('check', { onNonZero: 'record' }).gate(({ exitCode }) => exitCode === 3)]);
  f.phase('asking');
  await f.sleep('45m');
  const ready = await f.hook('ready', {});
  const merge = await f.human('Merge?', { to: '@alex' });
  const word = await f.llm`One word on ${built.summary}.`;
  f.done(merge && ready ? 'success' : 'declined', { detail: `${word} ${checked.exitCode} ${(await f.now()) - at} ${await f.uuid()}` });
});

const world = {
  hooks: { ready: () => true },
  run: ({ command }) => ({ stdout: command, takes: '7m', exitCode: command === 'check' ? 3 : 0 }),
  agent: () => ({ message: 'Built.', takes: '20m' }),
  human: () => ({ answer: true, takes: '90m' }),
  llm: () => 'fine',
} satisfies SimulateOptions;

/** Calls by what they were, without the accident of when their process died. */
function answered({ calls }: Simulation): string[] {
  return calls.filter(({ ending }) => ending === 'answered').map(({ id }) => id).sort();
}

describe('a process that dies once outcomes are durable', () => {
  test('after each number of them the run comes out the same, and no call that was finished is made again', async () => {
    const whole = await simulate(everything, world);
    expect(whole.verdict).toMatchObject({ status: 'completed', completionReason: 'success' });
    const outcomes = whole.report.completedSteps;
    expect(outcomes).toBe(10);
    for (let crashAfter = 1; crashAfter <= outcomes; crashAfter += 1) {
      const crashed = await simulate(everything, { ...world, crashAfter });
      expect({ crashAfter, crashes: crashed.crashes, reason: crashed.verdict.completionReason, steps: crashed.report.completedSteps, answered: answered(crashed) })
        .toEqual({ crashAfter, crashes: 1, reason: 'success', steps: outcomes, answered: answered(whole) });
    }
  });

  test('after every one of them', async () => {
    const whole = await simulate(everything, world);
    const crashed = await simulate(everything, { ...world, crashAfter: 'each' });
    expect(crashed.crashes).toBe(10);
    expect(answered(crashed)).toEqual(answered(whole));
  });

  test('a phase that follows the last outcome is said by the process that resumes, one before it is not said again', async () => {
    const phases = async (crashAfter: number): Promise<string[]> => (await simulate(everything, { ...world, crashAfter })).phases.map(({ name, at }) => `${name} ${at / MINUTE}`);
    expect(await phases(1)).toEqual(['making 0', 'asking 27']);
    // The agent's outcome was durable, and its flow had not seen it.
    expect(await phases(4)).toEqual(['making 0', 'asking 27']);
    expect(await phases(5)).toEqual(['making 0', 'asking 27']);
    const during = await simulate(everything, { ...world, run: (call) => (call.command === 'make' && call.attempt === 1 ? { crash: true } : world.run(call)) });
    expect(during.phases.map(({ name }) => name)).toEqual(['making', 'asking']);
  });

  test('what was under way is lost, made again, and charged up to the crash', async () => {
    const { calls, spend } = await simulate(everything, { ...world, crashAfter: 3 });
    expect(calls.filter(({ id }) => id === 'agent-3')).toMatchObject([
      { attempt: 1, start: 7 * MINUTE, end: 14 * MINUTE, ending: 'crash', timeout: 60 * MINUTE },
      { attempt: 2, start: 14 * MINUTE, ending: 'answered', resume: expect.any(String) as string, timeout: 53 * MINUTE },
    ]);
    // The command before, the check, and the agent until the crash and again.
    expect(spend.wallclock).toBe((7 + 7 + 7 + 20) * MINUTE);
  });

  test('it is an error when the crash never comes', async () => {
    await expect(simulate(everything, { ...world, crashAfter: 11 })).rejects.toMatchObject({ code: 'simulation_invalid', text: 'The run came to rest after 10 outcomes, so the crash that was asked for never happened.' });
    await expect(simulate(everything, { ...world, crashAfter: 0 })).rejects.toMatchObject({ code: 'simulation_invalid', text: 'crashAfter is 0.' });
  });
});

/** Simulates one body. */
async function play(body: FlowBody, options: SimulateOptions, header: FlowHeader = {}): Promise<Simulation> {
  return await simulate(flow('subject', header, body), options);
}

describe('a process that dies during a call', () => {
  test('the call is made again, as onCrash says', async () => {
    const body = (onCrash: 'rerun' | 'fail' | 'park'): FlowBody => async (f) => {
      await f.run('first');
      await f.run('push', { onCrash });
      f.done('success');
    };
    const run: SimulateOptions['run'] = ({ command, attempt }) => (command === 'push' && attempt === 1 ? { crash: true, takes: '2m' } : '');
    const rerun = await play(body('rerun'), { run });
    expect(rerun.calls.map(({ id, attempt, start, ending }) => [id, attempt, start, ending])).toEqual([['run-1', 1, 0, 'answered'], ['run-2', 1, 0, 'crash'], ['run-2', 2, 2 * MINUTE, 'answered']]);
    expect({ reason: rerun.verdict.completionReason, crashes: rerun.crashes, spent: rerun.spend.wallclock }).toEqual({ reason: 'success', crashes: 1, spent: 2 * MINUTE });
    expect((await play(body('fail'), { run })).verdict).toMatchObject({ completionReason: 'step_failed', cause: { code: 'crashed', stepId: 'run-2' } });
    expect((await play(body('park'), { run })).report).toMatchObject({ status: 'parked', parkedStep: 'run-2' });
  });

  test('an agent goes on in its session, and one without is told of it', async () => {
    const body = (cli: string): FlowBody => async (f) => {
      await f.agent('builder', { task: 'Build it.', cli });
      f.done('success');
    };
    const agent: SimulateOptions['agent'] = ({ attempt }) => (attempt === 1 ? { crash: true, takes: '2m' } : 'Built.');
    const claude = await play(body('claude'), { agent });
    expect(claude.calls[1]).toMatchObject({ attempt: 2, resume: expect.any(String) as string, task: 'The previous turn was interrupted; check what is done before changing anything.\n\nBuild it.' });
    const wrapper = await play(body('./my-agent'), { agent });
    expect(wrapper.calls[1]).toMatchObject({ attempt: 2, task: 'Build it.' });
    expect(wrapper.calls[1]).not.toHaveProperty('resume');
  });

  test('it may die again and again', async () => {
    const { crashes, verdict } = await play(async (f) => {
      await f.run('make');
      f.done('success');
    }, { run: ({ attempt }) => (attempt < 4 ? { crash: true, takes: '1m' } : '') });
    expect([crashes, verdict.completionReason]).toEqual([3, 'success']);
  });

  test('a person who was asked before answers after it, once', async () => {
    const simulation = await play(async (f) => {
      const [answer] = await Promise.all([f.human('Merge?', { to: '@alex' }), f.run('make', { timeout: '1h' })]);
      f.done(answer ? 'success' : 'declined');
    }, { run: ({ attempt }) => (attempt === 1 ? { crash: true, takes: '10m' } : { takes: '10m' }), human: () => ({ answer: true, takes: '15m' }) });
    expect(simulation.verdict).toEqual({ status: 'completed', completionReason: 'success' });
    expect(simulation.calls.map(({ id, end }) => [id, end])).toEqual([['run-2', 10 * MINUTE], ['human-1', 15 * MINUTE], ['run-2', 20 * MINUTE]]);
  });
});

describe('a flow that does not repeat itself', () => {
  test('is refused when it is resumed: it branches on what no step recorded', async () => {
    let executions = 0;
    const body: FlowBody = async (f) => {
      executions += 1;
      await f.run(`echo ${executions}`);
      f.done('success');
    };
    await expect(play(body, { run: () => '', crashAfter: 1 })).rejects.toMatchObject({ code: 'replay_mismatch' });
  });

  test('is refused when it does not ask for a step again', async () => {
    let executions = 0;
    const body: FlowBody = async (f) => {
      executions += 1;
      if (executions === 1) await f.run('once');
      else await new Promise(() => undefined);
      f.done('success');
    };
    await expect(play(body, { run: () => '', crashAfter: 1 })).rejects.toMatchObject({ code: 'replay_mismatch', stepId: 'run-1' });
  });
});
