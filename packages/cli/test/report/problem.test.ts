import { FlowsError } from '@relayflows/sdk';
import { expect, test } from 'vitest';
import { problemOfBug, problemOfError } from '../../src/report/problem.js';
import { refusalDocument } from '../../src/report/report-document.js';
import { problemLines } from '../../src/report/report-lines.js';
import { STYLE } from './reports.js';

const at = { version: '1.2.3', command: 'run', cwd: '/home/ann/secret-project', home: '/home/ann', node: '20.19.0', platform: 'linux x64' };

test('a refusal says what happened, where, and what to do', () => {
  const error = new FlowsError('invalid_spec', 'The file has a syntax error.\n  3 | const = 1\n    |       ^', {
    hint: 'Correct it and see `flows check --help`.',
    evidence: { path: '/w/a.flow.ts', line: 3, column: 7, problems: ['one', 'two'], command: 'x\u001B[2Jy' },
  });
  expect(problemLines(problemOfError(error), STYLE).join('\n')).toMatchSnapshot();
  expect(refusalDocument('check', 'a.flow.ts', problemOfError(error))).toMatchObject({
    ok: false, command: 'check', path: 'a.flow.ts', runId: null, status: 'refused', diagnostics: [{ severity: 'error', code: 'invalid_spec', path: '/w/a.flow.ts', line: 3 }], resolutions: [],
  });
});

test('evidence that the sentences contain is not printed again', () => {
  const error = new FlowsError('run_owned', 'Run 1m8 is being executed by process 4035 on vm; 1,048,577 bytes.', {
    hint: 'Try `flows runs`.',
    evidence: { owner: { pid: 4035, host: 'vm' }, bytes: 1_048_577, open: [], part: 403, other: { pid: 7 }, version: null, forced: true },
  });
  expect(problemLines(problemOfError(error), STYLE).slice(1)).toEqual(['  part: 403', '  other: {"pid":7}', '  forced: true', '  Try `flows runs`.']);
  expect(refusalDocument('run', null, problemOfError(error))).toMatchObject({ diagnostics: [{ owner: { pid: 4035 } }] });
});

test('the exit status comes from the code', () => {
  expect([new FlowsError('run_not_found', '').exitCode, new FlowsError('journal_full', '').exitCode].map(Number)).toEqual([2, 1]);
  expect(problemLines(problemOfError(new FlowsError('journal_full', 'No room.')), STYLE)).toEqual(['FAILED [journal_full] No room.']);
});

test('anything else is a bug, reported without saying where the user works', () => {
  const error = new TypeError('cannot read /home/ann/secret-project/x', { cause: 'a cause in /home/ann/other' });
  error.stack = `TypeError: cannot read /home/ann/secret-project/x\n    at run (/home/ann/secret-project/node_modules/a.js:1:2)\n    at main (/home/ann/tool/b.js:3:4)`;
  const lines = problemLines(problemOfBug(error, at), STYLE).join('\n');
  expect(lines).toMatchSnapshot();
  expect(lines).not.toContain('/ann');
});

test.each([undefined, null, 'text', { odd: 1 }, 5n])('%s can be thrown too', (thrown) => {
  expect(problemOfBug(thrown, { ...at, cwd: '/', home: undefined }).text).toMatch(/^This is a bug in flows: ./);
});
