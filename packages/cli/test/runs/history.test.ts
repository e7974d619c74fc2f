import type { StepRecord } from '@relayflows/sdk';
import { expect, test } from 'vitest';
import { delivered, momentOf, seen, undelivered } from '../../src/runs/history.js';

const step = (seq: number, more: Partial<StepRecord> = {}): StepRecord => ({ seq, stepId: `run-${seq}`, kind: 'run', fingerprint: '0', attempt: 1, ...more });

/** Three steps at once: the third arrives first, then the first creates a fourth; the second never arrives. */
const steps = [
  step(1, { position: 2, created: 3, outcome: { ok: true, value: 'one' } }),
  step(2),
  step(3, { position: 1, created: 3, outcome: { ok: true, value: 'three' } }),
  step(4, { position: 3, created: 4, outcome: { ok: false, error: { code: 'step_failed', text: 'no' } } }),
];
const ids = (found: readonly StepRecord[]): string[] => found.map(({ stepId }) => stepId);

test('steps arrive in their recorded order', () => {
  expect(ids(delivered(steps))).toEqual(['run-3', 'run-1', 'run-4']);
  expect(ids(undelivered(steps))).toEqual(['run-2']);
});

test.each([
  ['run-3', [], ['run-1', 'run-2']],
  ['run-1', ['run-3'], ['run-2']],
  ['run-4', ['run-3', 'run-1'], ['run-2']],
  ['run-2', ['run-3', 'run-1', 'run-4'], []],
])('when %s arrived', (at, before, open) => {
  const moment = momentOf(steps, steps.find(({ stepId }) => stepId === at)!);
  expect({ before: ids(moment.before), open: ids(moment.open) }).toEqual({ before, open });
});

test('what the body saw', () => {
  expect(steps.map(seen)).toEqual([{ value: 'one' }, undefined, { value: 'three' }, { error: { code: 'step_failed', text: 'no' } }]);
  expect(seen(step(5, { outcome: { ok: true } }))).toEqual({ value: null });
  expect(seen(step(6, { outcome: { ok: true, value: 1 }, gate: { passed: false, error: { code: 'gate_failed', text: 'too small' } } }))).toEqual({ error: { code: 'gate_failed', text: 'too small' } });
});
