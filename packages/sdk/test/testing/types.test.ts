import { flow } from '@relayflows/surface';
import { expect, expectTypeOf, test } from 'vitest';
import { simulate, type SimulatedCall, type SimulateOptions } from '../../src/testing/index.js';

/* The type checker is what tests here: each `@ts-expect-error` fails the `types` gate when its line is accepted. */

const wrong: readonly SimulateOptions[] = [
  // @ts-expect-error an answer is missing on one path
  { run: (call) => { if (call.command === 'x') return ''; } },
  // @ts-expect-error a command has no message
  { run: () => ({ message: 'done' }) },
  // @ts-expect-error it ended by itself or by a signal
  { run: () => ({ exitCode: 1, signal: 'SIGKILL' as const }) },
  // @ts-expect-error no such signal
  { run: () => ({ signal: 'kill' as const }) },
  // @ts-expect-error output is text
  { run: () => ({ stdout: 5 }) },
  // @ts-expect-error no duration
  { run: () => ({ takes: '5 minutes' as const }) },
  // @ts-expect-error what could not be started printed nothing
  { run: () => ({ error: 'gone', stdout: 'x' }) },
  // @ts-expect-error a crash has no result
  { run: () => ({ crash: true as const, exitCode: 0 }) },
  // @ts-expect-error an agent says something
  { agent: () => ({ takes: '5m' as const }) },
  // @ts-expect-error an agent's message is text
  { agent: () => ({ message: { verdict: 'good' } }) },
  // @ts-expect-error no such code
  { agent: () => ({ error: 'no', code: 'step_failed' as const }) },
  // @ts-expect-error usage has both sides
  { agent: () => ({ message: 'done', usage: { inputTokens: 1 } }) },
  // @ts-expect-error an agent has no command
  { agent: ({ command }) => String(command) },
  // @ts-expect-error a model leaves no files
  { llm: () => ({ message: 'x', artifacts: ['a.ts'] }) },
  // @ts-expect-error yes is no boolean
  { human: () => 'yes' },
  // @ts-expect-error no such option
  { people: () => true },
  // @ts-expect-error no such moment
  { crashAfter: 'sometimes' },
];

const right: readonly SimulateOptions[] = [
  { run: (call) => (call.attempt === 1 ? { exitCode: 1, takes: '5m' } : 'text') },
  { run: async ({ command }) => await Promise.resolve(command.startsWith('git') ? { signal: 'SIGTERM' } : { stdout: '', takes: 1_500 }) },
  { agent: ({ name, task }) => (name === 'x' ? { error: task, code: 'provider_unavailable', takes: '1h' } : { message: 'done', artifacts: ['a.ts'], usage: null }) },
  { llm: ({ output }) => (output === undefined ? 'text' : { message: { n: [1, null] } }) },
  { human: ({ to }) => (to === '@alex' ? 'never' : { answer: true, takes: '2d', note: 'fine' }) },
  { human: () => true },
];

test('what is recorded of a call is known by its kind', async () => {
  expect([wrong.length, right.length]).toEqual([17, 6]);
  const { calls } = await simulate(flow('one', async (f) => f.done('success', { detail: await f.run('date') })), { run: () => 'Monday' });
  for (const call of calls) if (call.kind === 'run') expectTypeOf(call.command).toBeString();
  expectTypeOf<SimulatedCall['ending']>().toEqualTypeOf<'answered' | 'timeout' | 'canceled' | 'crash' | undefined>();
  expect(calls.map((call) => (call.kind === 'run' ? call.command : ''))).toEqual(['date']);
});
