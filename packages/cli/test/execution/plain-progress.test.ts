import type { RunEvent } from '@relayflows/sdk';
import { expect, test } from 'vitest';
import { plainProgress } from '../../src/execution/plain-progress.js';
import { tellOnce } from '../../src/execution/tell-once.js';
import type { Output } from '../../src/io.js';
import { completed, event, output, started, START, step } from '../terminal/events.js';

function shown(events: readonly RunEvent[], options: { readonly verbose: boolean } = { verbose: false }): string {
  let text = '';
  const stderr: Output = { isTerminal: false, columns: 80, rows: 24, gone: new AbortController().signal, failure: undefined, write: (piece) => void (text += piece), flushed: () => Promise.resolve() };
  const observer = tellOnce(plainProgress(stderr, options));
  for (const each of events) observer.event(each);
  observer.close();
  return text;
}

const failure = { code: 'step_failed', text: 'run-2 ended with exit status 1.' };

const whole: readonly RunEvent[] = [
  started(),
  event({ type: 'run.replayed', steps: 0 }),
  event({ type: 'phase', name: 'checking' }),
  step('uuid-1', 'uuid', { kind: 'uuid' }),
  completed('uuid-1', { kind: 'uuid' }),
  step('run-2', 'npm\u001B[2J test'),
  output('run-2', 'one\ntw'),
  output('run-2', 'warned\n', 'stderr'),
  output('run-2', 'o\n\u001B[31mthree'),
  event({ type: 'step.retrying', stepId: 'run-2', attempt: 2, delayMs: 5_000, error: failure }),
  step('run-2', 'npm test', { attempt: 2 }),
  completed('run-2', { ok: false, error: failure, exitCode: 1 }),
  step('agent-3', 'Fix it', { kind: 'agent', label: 'coder' }),
  event({ type: 'step.agent', stepId: 'agent-3', event: { type: 'message', text: 'I look' } }),
  completed('agent-3', { kind: 'agent', spend: { wallclock: 1_500, tokens: 100, microDollars: 420_000 } }),
  event({ type: 'warning', code: 'left_running', text: 'said at the end' }),
  event({ type: 'wait.opened', stepId: 'sleep-4', wait: 'timer', dueAt: START + 60_000 }),
];

test('a log has a line for what begins and what ends', () => {
  expect(shown(whole).replace(/until .* \(/, 'until <time> (')).toMatchSnapshot();
});

test('and with --verbose the output between', () => {
  const text = shown(whole, { verbose: true });
  expect(text.match(/^(run-2|agent-3) \| .*$/gm)).toEqual(['run-2 | one', 'run-2 | warned', 'run-2 | two', 'run-2 | three', 'agent-3 | I look']);
});

test('a run that wakes up in the same command is not told again', () => {
  const waking = [event({ type: 'run.started', flowName: 'ticket', cwd: '/w', resumed: true }), event({ type: 'run.replayed', steps: 3 }), whole.at(-1)!, completed('sleep-4', { kind: 'sleep' })];
  expect(shown([...whole, ...waking])).toBe(`${shown(whole)}sleep-4 done in 1.5s\n`);
});

test('a resumed run says what was handed back', () => {
  expect(shown([event({ type: 'run.started', flowName: 'ticket', cwd: '/w', resumed: true }), event({ type: 'run.replayed', steps: 1 })])).toBe('run 01run (ticket) resumed in /w\n1 finished step handed back\n');
});
