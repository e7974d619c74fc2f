import { expect, it } from 'vitest';
import type { RunStatus, StepRecord } from '../../src/journal/port.js';
import { buildReport } from '../../src/run/report-builder.js';

const row = (more: Partial<StepRecord>): StepRecord => ({ seq: 1, stepId: 'run-1', kind: 'run', fingerprint: '0'.repeat(32), attempt: 1, ...more });
const state = (status: RunStatus, more: Partial<StepRecord>): readonly [string | undefined, number] => {
  const report = buildReport({ run: { id: 'r', flowName: 'f', createdAt: 1 }, status, rows: [row(more)], warnings: [] });
  return [report.steps[0]?.state, report.completedSteps];
};

it.each<[string, RunStatus, Partial<StepRecord>, readonly [string, number]]>([
  ['reached the body', 'running', { outcome: { ok: true }, position: 1 }, ['succeeded', 1]],
  ['may be before its gate', 'interrupted', { outcome: { ok: true } }, ['running', 0]],
  ['never reached the body of a run that has ended', 'completed', { outcome: { ok: true } }, ['succeeded', 1]],
  ['did not pass its gate', 'failed', { outcome: { ok: true }, gate: { passed: false }, position: 1 }, ['failed', 0]],
  ['is being executed', 'running', {}, ['running', 0]],
  ['was in flight when its run was stopped', 'interrupted', {}, ['waiting', 0]],
  ['was never learned of again', 'canceled', {}, ['canceled', 0]],
])('a step whose value %s', (_name, status, more, expected) => {
  expect(state(status, more)).toEqual(expected);
});
