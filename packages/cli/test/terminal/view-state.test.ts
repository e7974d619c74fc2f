import { expect, test } from 'vitest';
import { absorb, costSoFar, lastLines } from '../../src/terminal/view-state.js';
import { completed, event, output, START, started, step, viewOf } from './events.js';

test('steps are live from their start to their end', () => {
  const view = viewOf(started(), step('run-1', 'npm test'), step('run-2', 'npm run lint'));
  expect([...view.live.keys()]).toEqual(['run-1', 'run-2']);
  expect(absorb(view, completed('run-1', { ok: false }))).toMatchObject({ stepId: 'run-1', title: 'npm test' });
  expect({ live: [...view.live.keys()], finished: view.finished, failed: view.failed }).toEqual({ live: ['run-2'], finished: 1, failed: 1 });
});

test('values a body reads are counted and not shown', () => {
  const view = viewOf(started(), step('uuid-1', 'uuid', { kind: 'uuid' }));
  expect(absorb(view, completed('uuid-1', { kind: 'uuid' }))).toBeUndefined();
  expect({ live: view.live.size, finished: view.finished }).toEqual({ live: 0, finished: 1 });
});

test('output becomes clean lines, however it is cut', () => {
  const view = viewOf(started(), step('run-1', 'x'), output('run-1', 'one\ntw'), output('run-1', 'o\n\u001B[2J10%\r50%\r99'), output('run-1', 'warn\n', 'stderr'));
  expect(lastLines(view.live.get('run-1')!, 10)).toEqual(['one', 'two', 'warn', '10% 50% 99']);
  expect(lastLines(view.live.get('run-1')!, 1)).toHaveLength(1);
});

test('a flood of output is not kept', () => {
  const view = viewOf(started(), step('run-1', 'x'), ...Array.from({ length: 500 }, (_, index) => output('run-1', `line ${index}\n`)), output('run-1', 'y'.repeat(1_000_000)));
  const live = view.live.get('run-1')!;
  expect(live.output).toHaveLength(50);
  expect(live.unfinished.get('stdout')!.length).toBeLessThan(10_000);
});

test('what an agent does is its output', () => {
  const view = viewOf(
    started(),
    step('agent-1', 'Fix it', { kind: 'agent', label: 'coder' }),
    event({ type: 'step.agent', stepId: 'agent-1', event: { type: 'message', text: 'I look\nat it' } }),
    event({ type: 'step.agent', stepId: 'agent-1', event: { type: 'tool', name: 'Bash', summary: 'ls\u0007', phase: 'start' } }),
    event({ type: 'step.agent', stepId: 'agent-1', event: { type: 'file_change', path: 'a.ts', change: 'modify' } }),
  );
  expect(view.live.get('agent-1')).toMatchObject({ title: 'coder: Fix it', output: ['I look', 'at it', '[Bash] ls', 'modify a.ts'] });
});

test('money is counted while steps run and after', () => {
  const view = viewOf(started(), step('agent-1', 'x'), event({ type: 'step.progress', stepId: 'agent-1', spend: { wallclock: 1, tokens: 10, microDollars: 5_000 } }));
  expect(costSoFar(view)).toMatchObject({ microDollars: 5_000 });
  absorb(view, completed('agent-1', { spend: { wallclock: 2, tokens: 20, microDollars: 9_000, unmetered: true } }));
  expect(costSoFar(view)).toEqual({ wallclock: 2, tokens: 20, microDollars: 9_000, unmetered: true });
});

test('a retry keeps the step and says when', () => {
  const view = viewOf(started(), step('run-1', 'x'), event({ type: 'step.retrying', stepId: 'run-1', attempt: 2, delayMs: 5_000, error: { code: 'step_failed', text: 'no' } }));
  expect(view.live.get('run-1')!.retryAt).toBe(START + 5_000);
  absorb(view, step('run-1', 'x', { attempt: 2 }));
  expect(view.live.get('run-1')).toMatchObject({ attempt: 2, retryAt: undefined, output: ['[step_failed] no'] });
});

test('a wait is a step too', () => {
  const view = viewOf(started(), event({ type: 'wait.opened', stepId: 'human-1', wait: 'human', question: 'Ship\nit?', to: '@you' }));
  expect(view.live.get('human-1')).toMatchObject({ title: 'Ship it?', wait: { wait: 'human' } });
});
