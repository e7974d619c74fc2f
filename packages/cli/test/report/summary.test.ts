import type { StepSummary } from '@relayflows/sdk';
import { expect, test } from 'vitest';
import { summaryLines } from '../../src/report/summary.js';
import { NO_COLORS } from '../../src/text/colors.js';
import { widthOf } from '../../src/text/width.js';
import { report } from './reports.js';

const step = (index: number, changes: Partial<StepSummary> = {}): StepSummary => ({ stepId: `run-${index}`, kind: 'run', title: `command ${index}`, state: 'succeeded', attempt: 1, durationMs: 100 * index, ...changes });

test('shows where the time and the money went', () => {
  const steps = [
    ...Array.from({ length: 10 }, (_, index) => step(index + 1)),
    step(11, { stepId: 'agent-11', label: 'coder', title: 'Fix the bug', durationMs: 65_000, spend: { wallclock: 65_000, tokens: 12_300, microDollars: 420_000 } }),
    step(12, { state: 'failed' }),
  ];
  expect(summaryLines(report({ steps, spend: { wallclock: 71_700, tokens: 12_300, microDollars: 420_000 } }), { colors: NO_COLORS, columns: 70 }).join('\n')).toMatchSnapshot();
});

test('says nothing about a run that had nothing to sum up', () => {
  expect(summaryLines(report({ steps: [step(1)] }), { colors: NO_COLORS, columns: 70 })).toEqual([]);
});

test.each([20, 35, 60])('fits %d columns', (columns) => {
  for (const line of summaryLines(report({ steps: [step(1), step(2, { title: '日本語 '.repeat(20) })] }), { colors: NO_COLORS, columns })) expect(widthOf(line)).toBeLessThanOrEqual(columns);
});
