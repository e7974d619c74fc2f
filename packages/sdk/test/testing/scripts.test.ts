import { flow } from '@relayflows/surface';
import { describe, expect, test } from 'vitest';
import { isFlowsError } from '../../src/errors/flows-error.js';
import { simulate, type AgentAnswer, type HumanAnswer, type LlmAnswer, type RunAnswer, type Script, type SimulateOptions } from '../../src/testing/index.js';

/** One call of each kind, in this order, and a second attempt of the command. */
const asks = flow('asks', async (f) => {
  await f.run('  make everything\n  and more', { retry: { attempts: 2, backoff: 0 } });
  await f.agent('builder', { task: 'Build it.' });
  await f.llm`What is ${'it'}?`;
  await f.human('Merge?', { to: '@alex' });
  f.done('success');
});

const fine: Script = { run: () => '', agent: () => 'Built.', llm: () => 'It.', human: () => true };

async function problem(options: SimulateOptions): Promise<{ text: string; stepId: string | undefined; cause?: unknown; hint: string | undefined }> {
  try {
    await simulate(asks, options);
  } catch (error) {
    if (!isFlowsError(error) || error.code !== 'simulation_invalid') throw error;
    return { text: error.text, stepId: error.stepId, hint: error.hint, ...(error.cause === undefined ? {} : { cause: error.cause }) };
  }
  throw new Error('The simulation came to an end.');
}

describe('a problem of a script names its call', () => {
  test.each([
    ['run', 'run-1', 'The command of run-1 ("make everything")'],
    ['agent', 'agent-2', 'The agent "builder" of agent-2'],
    ['llm', 'llm-3', 'The model call llm-3 ("What is it?")'],
    ['human', 'human-4', 'The question human-4 ("Merge?")'],
  ] as const)('%s', async (kind, stepId, name) => {
    const { [kind]: _left, ...others } = fine;
    expect(await problem(others)).toEqual({ stepId, text: `${name} has no script.`, hint: `Pass ${kind}: (call) => … to simulate().` });

    const cause = new TypeError('no such thing');
    const failed = { stepId, text: `${name} failed in its script: TypeError: no such thing.`, hint: 'Mend the script that was passed to simulate().', cause };
    const throwing = (): never => {
      throw cause;
    };
    expect(await problem({ ...fine, [kind]: throwing })).toEqual(failed);
    expect(await problem({ ...fine, [kind]: async () => await Promise.reject(cause) })).toEqual(failed);
    expect(await problem({ ...fine, [kind]: () => undefined })).toMatchObject({ stepId, text: `${name} was given an answer that cannot be: it answered undefined.` });
    const ends = { run: { exitCode: 0 }, agent: { message: 'Built.' }, llm: { message: 'It.' }, human: { answer: true } }[kind];
    expect((await problem({ ...fine, [kind]: () => ({ takes: '5 minutes', ...ends }) })).text).toBe(`${name} was given an answer that cannot be: its takes is '5 minutes', which is no duration: give whole milliseconds, or a text such as "90s", "15m" or "2h".`);
  });

  test('a later attempt', async () => {
    const { text } = await problem({ ...fine, run: ({ attempt }) => (attempt === 1 ? { exitCode: 1 } : ({} as { stdout: never }).stdout) });
    expect(text).toBe('The command of run-1, attempt 2, ("make everything") was given an answer that cannot be: it answered undefined.');
  });
});

describe('answers that cannot be', () => {
  test.each<[unknown, unknown]>([
    [{ exitCode: 256 }, 'its exitCode is 256, which is no whole number from 0 to 255'],
    [{ exitCode: 1, signal: 'SIGKILL' }, 'it has both exitCode and signal'],
    [{ signal: 'kill' }, "its signal is 'kill'; write a name such as SIGKILL"],
    [{ stdOut: 'x' }, 'it has a member stdOut, which does not go with the others; known here: takes, exitCode, stdout, stderr, artifacts'],
    [{ error: 'gone', stdout: 'x' }, 'it has a member stdout, which does not go with the others; known here: takes, error'],
    [{ stdout: 5 }, 'its stdout is 5, which is no text'],
    [{ takes: -1 }, expect.stringMatching(/^its takes is -1, which is no duration: /)],
    [{ crash: false }, 'its crash is false; write true, or leave it out'],
    [{ artifacts: 'a.ts' }, 'its artifacts are no list of paths'],
    [7, 'it answered 7'],
  ])('of a command: %j', async (answer, text) => {
    expect((await problem({ ...fine, run: () => answer as RunAnswer })).text.replace(/^.* cannot be: /, '').replace(/\.$/, '')).toEqual(text);
  });

  test.each<[unknown, unknown]>([
    [{ takes: '1m' }, 'it has none of message, error, signal and crash'],
    [{ message: { verdict: 'good' } }, "its message is { verdict: 'good' }, which is no text"],
    [{ message: 'Built.', usage: { inputTokens: 1 } }, 'its usage has outputTokens: undefined'],
    [{ message: 'Built.', usage: { inputTokens: 1, outputTokens: 1, tokens: 2 } }, 'its usage has tokens: 2'],
    [{ error: 'no', code: 'step_failed' }, expect.stringMatching(/^its code is 'step_failed'; known: worker_error, /)],
  ])('of an agent: %j', async (answer, text) => {
    expect((await problem({ ...fine, agent: () => answer as AgentAnswer })).text.replace(/^.* cannot be: /, '').replace(/\.$/, '')).toEqual(text);
  });

  test('of a model and of a person', async () => {
    expect((await problem({ ...fine, llm: () => ({ message: 'It.', artifacts: ['a'] }) as unknown as LlmAnswer })).text).toContain('it has a member artifacts');
    expect((await problem({ ...fine, human: () => 'yes' as unknown as HumanAnswer })).text).toContain("it answered 'yes'");
    expect((await problem({ ...fine, human: () => ({ answer: 'yes' }) as unknown as HumanAnswer })).text).toContain("its answer is 'yes', which is neither true nor false");
  });
});

test('the first problem counts, and the simulation does not go on after it', async () => {
  const made: string[] = [];
  const wide = flow('wide', async (f) => {
    await Promise.allSettled([f.run('one'), f.run('two')]);
    await f.run('three').then(() => undefined, () => undefined);
    f.done('success');
  });
  const run = ({ command }: { readonly command: string }): never => {
    made.push(command);
    throw new Error(command);
  };
  await expect(simulate(wide, { run })).rejects.toMatchObject({ text: 'The command of run-1 ("one") failed in its script: Error: one.' });
  expect(made).toEqual(['one', 'two']);
});

test('a script cannot change what was recorded of its call', async () => {
  const { calls } = await simulate(asks, { ...fine, run: (call) => {
    expect(Object.isFrozen(call)).toBe(true);
    return '';
  } });
  expect(calls.map(({ id }) => id)).toEqual(['run-1', 'agent-2', 'llm-3', 'human-4']);
});
