import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { widthOf } from '../../src/commands/text/columns.js';
import { paintFor, PLAIN } from '../../src/commands/text/paint.js';
import { logLines } from '../../src/commands/view/log-lines.js';
import { proposalLines } from '../../src/commands/view/proposal.js';
import { runDetailLines } from '../../src/commands/view/run-detail.js';
import { runRows } from '../../src/commands/view/run-rows.js';
import { serverLine } from '../../src/commands/serve/server-line.js';
import type { RunDetail } from '../../src/server/answers.js';
import { BLOCKED, detail, GIVEN_UP, HOSTILE, NOW, row, step, WAITS_FOR_APPROVAL } from './runs.js';

const page = (room: number) => ({ paint: PLAIN, room, now: NOW });
const shown = (run: RunDetail, room = 100): string => runDetailLines(run, page(room), '--ticket ABC-12').join('\n');
const painted = { paint: paintFor({ isTerminal: true, env: {} }), room: 100, now: NOW };

describe('run get', () => {
  test.each([
    ['the server is at work', detail()],
    ['an agent is at work', detail({ state: 'waiting', steps: [step({ nodeType: 'lifecycle', route: 'implement' }), step({ sequence: 2, node: 'implement', status: 'waiting', startedAt: NOW - 29 * 60_000, finishedAt: null, duration: null, waited: 60_000 })] })],
    ['an agent is in line', detail({ state: 'waiting', phase: 'queued', steps: [step({ sequence: 2, node: 'implement', status: 'waiting', finishedAt: null, duration: null })] })],
    ['a report waits for a person', WAITS_FOR_APPROVAL],
    ['something must be put right', BLOCKED],
    ['an agent was given up', GIVEN_UP],
    ['nothing was begun', detail({ state: 'starting', startedAt: null, steps: [], workspace: null, progress: { completed: 0, total: 0, pending: 0 }, resourcesDuration: { known: false, runner: 0, taskSystem: 0, harness: 0, other: 0 } })],
    ['it ended', detail({ state: 'completed', currentNode: 'end', finishedAt: NOW, progress: { completed: 2, total: 2, pending: 0 }, steps: [step({ nodeType: 'lifecycle', route: 'end' }), step({ sequence: 2, node: 'end', nodeType: 'lifecycle' })] })],
    ['it was canceled', detail({ state: 'canceled', finishedAt: NOW - 1_000, lastError: 'Not needed any more.', steps: [step({ status: 'canceled' })] })],
    ['it is being canceled', detail({ state: 'canceling', lastError: 'Jira does not answer.', steps: [step({ status: 'running', finishedAt: null })] })],
    ['it is tried again', detail({ lastError: 'Jira does not answer.', retry: { attempt: 2, lastError: 'Jira does not answer.', nextRetryAt: NOW + 8_000 } })],
  ])('%s', (_, run) => {
    expect(shown(run)).toMatchSnapshot();
  });

  test('on a narrow terminal', () => {
    expect(shown(WAITS_FOR_APPROVAL, 50)).toMatchSnapshot();
  });

  test.each([20, 40, 60, 80, 120])('nothing but a command reaches out of %i columns', (room) => {
    for (const run of [WAITS_FOR_APPROVAL, BLOCKED, HOSTILE]) {
      for (const line of runDetailLines(run, page(room), '--ticket ABC-12')) if (!line.includes('relay-flow run ')) expect(widthOf(line), line).toBeLessThanOrEqual(room);
    }
  });

  test('what others wrote moves no cursor, changes no color and turns no direction', () => {
    for (const run of [HOSTILE, WAITS_FOR_APPROVAL]) expect(shown(run)).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
  });

  test('with colors it is the same text', () => {
    for (const run of [detail(), WAITS_FOR_APPROVAL, BLOCKED]) {
      const colored = runDetailLines(run, painted, '--ticket ABC-12').join('\n');
      expect(colored).not.toBe(shown(run));
      expect(stripVTControlCharacters(colored)).toBe(shown(run));
    }
  });
});

describe('run list', () => {
  const rows = [
    row(),
    row({ ticket: { id: '2', key: 'ABC-7', title: '日本語のチケット\u001B[2J' }, state: 'waiting', phase: 'person', currentNode: 'approve', attention: 'Approve it.', updatedAt: NOW - 7_200_000 }),
    row({ state: 'waiting' }),
    row({ state: 'waiting', phase: 'queued' }),
    row({ lastError: 'Jira does not answer.', retry: { attempt: 2, lastError: 'Jira does not answer.', nextRetryAt: NOW + 8_000 } }),
    row({ attempt: 3, state: 'blocked', currentNode: null }),
    row({ state: 'completed', currentNode: 'end', updatedAt: NOW - 3 * 86_400_000 }),
  ];

  test.each([100, 50])('at %i columns', (room) => {
    const lines = runRows(rows, page(room));
    expect(lines.join('\n')).toMatchSnapshot();
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(room);
  });

  test('with colors it is the same text', () => {
    expect(stripVTControlCharacters(runRows(rows, painted).join('\n'))).toBe(runRows(rows, page(100)).join('\n'));
  });
});

test('a report is shown whole, and cleaned', () => {
  const proposal = { node: 'approve', reportId: 's:m', text: `STATUS: success\n\u001B[2J${'word '.repeat(100)}\n- last`, at: NOW };
  const lines = proposalLines(proposal, page(60));
  expect(lines.join(' ').match(/word/g)).toHaveLength(100);
  expect(lines.at(-1)).toBe('  - last');
  expect(lines.join('\n')).not.toMatch(/\u001B/);
});

test('the log tells apart what the run did and what agents wrote', () => {
  const at = NOW;
  expect([
    ...logLines({ at, node: 'implement', nodeVisitId: 'v', stream: 'engine', text: 'The report of implement was accepted.' }, PLAIN, NOW),
    ...logLines({ at, node: 'implement', nodeVisitId: 'v', stream: 'stdout', text: 'one\n\u001B[31mtwo\u001B[0m\r\n' }, PLAIN, NOW),
    ...logLines({ at, node: null, nodeVisitId: null, stream: 'stderr', text: 'odd' }, PLAIN, NOW),
  ]).toEqual(['14:05:00 implement · The report of implement was accepted.', '14:05:00 implement | one', '14:05:00 implement | two', '14:05:00 implement |', '14:05:00 run ! odd']);
});

test('a record of the server is one clean line', () => {
  expect(serverLine({ time: new Date(NOW).toISOString(), pid: 7, level: 'warn', message: 'a repository cannot be used', repo: 'app', text: 'There is no\n\u001B[2Jfolder.', claims: ['a', 'b'], count: 2, code: undefined }, PLAIN)).toBe(
    '14:05:00 warn a repository cannot be used repo=app text="There is no folder." claims=a,b count=2',
  );
});
