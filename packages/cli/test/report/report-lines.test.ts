import { describe, expect, test } from 'vitest';
import { exitStatus } from '../../src/report/exit-status.js';
import { reportDocument } from '../../src/report/report-document.js';
import { nextLines, reportLines, verdictLine } from '../../src/report/report-lines.js';
import { NOW, report, STYLE, unfinished } from './reports.js';

const question = { waitId: 'human-3', question: 'Ship it?', to: '@you' };
const failure = {
  severity: 'error',
  code: 'step_failed',
  message: '`npm test` ended with exit code 1.',
  stepId: 'run-2',
  stepType: 'run',
  exitCode: 1,
  stdoutTail: '12 passing\n1 failing\n',
  stderrTail: 'Error: expected 3\n',
  hint: 'Read the whole log: `flows logs 01run run-2`.',
} as const;

const reports = {
  success: report(),
  'success with a detail': report({ completionDetail: 'two\nlines \u001B[2J' }),
  'success with a warning': report({ diagnostics: [{ severity: 'warning', code: 'left_running', message: 'sleep 100 was stopped.', stepId: 'run-1' }] }),
  'one step': report({ completedSteps: 1 }),
  declined: report({ completionReason: 'declined', completionDetail: 'nothing to do' }),
  'declined without a word': report({ completionReason: 'declined' }),
  'needs a person by its own verdict': report({ ok: false, completionReason: 'needs_human', completionDetail: 'Which file?' }),
  'a failed step': report({ ok: false, status: 'failed', completionReason: 'step_failed', diagnostics: [failure] }),
  'done with step_failed': report({ ok: false, status: 'failed', completionReason: 'step_failed', completionDetail: 'checks are red' }),
  'budget exceeded': report({ ok: false, status: 'failed', completionReason: 'budget_exceeded' }),
  canceled: report({ ok: false, status: 'canceled', completionReason: 'canceled' }),
  'an open question': unfinished({ status: 'parked', completionReason: 'needs_human', parkedStep: 'human-3', parkCause: 'needs_human', humanWait: question, humanWaits: [question] }),
  'two open questions': unfinished({ status: 'parked', completionReason: 'needs_human', humanWait: question, humanWaits: [question, { ...question, waitId: 'human-4', question: 'Sure?\u0007' }] }),
  'a step held after a crash': unfinished({ status: 'parked', completionReason: 'needs_human', parkedStep: 'agent-2', parkCause: 'needs_human' }),
  asleep: unfinished({ status: 'parked', wakeAt: NOW + 60_000 }),
  interrupted: unfinished({ status: 'interrupted' }),
  running: unfinished({ status: 'running' }),
} as const;

describe('what is printed of a run', () => {
  test.each(Object.entries(reports))('%s', (_, given) => {
    expect([verdictLine(given), ...reportLines(given, STYLE), ...nextLines(given, STYLE), `exit ${exitStatus(given)}`].join('\n')).toMatchSnapshot();
  });
});

test('the output of a failure is at most 4,096 bytes, both streams together', () => {
  for (const [stderrTail, stdoutTail] of [['e'.repeat(9_000), 'o\n'.repeat(9_000)], ['e\n'.repeat(9_000), 'short'], ['', 'o\n'.repeat(9_000)]] as const) {
    const lines = reportLines(report({ ok: false, status: 'failed', completionReason: 'step_failed', diagnostics: [{ ...failure, stderrTail, stdoutTail }] }), STYLE);
    const output = lines.filter((line) => line.startsWith('  | ')).map((line) => line.slice(4)).join('\n');
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(output)).toBeGreaterThan(3_000);
  }
});

test('the exit status names the signal that interrupted a run', () => {
  expect([exitStatus(reports.interrupted, 'SIGTERM'), exitStatus(reports.interrupted, 'SIGHUP'), exitStatus(reports.success, 'SIGINT')]).toEqual([143, 129, 0]);
});

test('a sleeping run that was left by a signal exits as one that was stopped', () => {
  expect([exitStatus(reports.asleep, 'SIGINT'), exitStatus(reports['an open question'], 'SIGINT')]).toEqual([130, 3]);
});

test('someone who came through npx reads commands as they have to be typed', () => {
  const lines = reportLines(reports['a failed step'], { ...STYLE, command: (args) => `npx @relayflows/cli ${args}` });
  expect(lines.join('\n')).toContain('`npx @relayflows/cli logs 01run run-2`');
});

test('the document has the members of the contract, also when nothing is known', () => {
  expect(Object.keys(reportDocument('run', 'a.flow.ts', reports.interrupted))).toEqual(
    expect.arrayContaining(['ok', 'command', 'path', 'runId', 'rootRunId', 'status', 'completionReason', 'completedSteps', 'diagnostics', 'resolutions']),
  );
  expect(reportDocument('run', 'a.flow.ts', reports.interrupted)).toMatchObject({ completionReason: null, runId: '01run' });
  expect(reportDocument('resume', null, reports['an open question'])).toMatchObject({ parkedStep: 'human-3', parkCause: 'needs_human', humanWait: question });
});
