import { expect, it } from 'vitest';
import { attemptId, logicalOf, logicalRunId, markers, toldAttempts } from '../../src/server/ids.js';

const logical = logicalRunId({ repo: 'app', workflow: 'ship', ticket: 'K~attempt~9' });
const canceled = (attempt: number): string => markers.cancellation(attemptId(logical, attempt));
const restarted = (attempt: number): string => markers.restart(attemptId(logical, attempt));

it('an attempt is told from its logical run, whatever a ticket is called', () => {
  expect([logical, attemptId(logical, 1), attemptId(logical, 12)]).toEqual(['app/ship/K%7Eattempt%7E9', 'app/ship/K%7Eattempt%7E9', 'app/ship/K%7Eattempt%7E9~attempt~12']);
  expect([1, 12].map((attempt) => logicalOf(attemptId(logical, attempt)))).toEqual([logical, logical]);
});

it.each([
  ['nothing', [], 1, false],
  ['a cancelation', [canceled(1)], 1, true],
  ['a restart since', [canceled(1), restarted(2)], 2, false],
  ['another cancelation', [canceled(1), restarted(2), canceled(2)], 2, true],
  ['a later restart', [canceled(1), restarted(2), canceled(2), restarted(3)], 3, false],
  ['attempts past the ninth', Array.from({ length: 10 }, (_, index) => [canceled(index + 1), restarted(index + 2)]).flat(), 11, false],
  // Versions that told one cancelation only have left gaps.
  ['a cancelation of an attempt whose restart was not told', [canceled(1), canceled(2)], 2, true],
  ['a restart after attempts that were not told', [canceled(1), restarted(4)], 4, false],
  ['another order, as a person may leave it', [restarted(2), canceled(2), canceled(1)], 2, true],
  ['other markers, and those of other runs', ['v1:summary', 'app/other/K:cancellation', `${logical}0:cancellation`, `${logical}~attempt~x:restart`, ':restart'], 1, false],
])('comments tell of %s', (_what, told, latest, isCanceled) => {
  expect(toldAttempts(told, logical)).toEqual({ latest, canceled: isCanceled });
});
