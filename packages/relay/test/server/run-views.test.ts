import { describe, expect, it } from 'vitest';
import { phaseOf } from '../../src/server/runs/phase.js';
import { runDetail } from '../../src/server/runs/run-views.js';
import type { StoredRun, StoredStep } from '../../src/store/rows.js';

const RUN: StoredRun = {
  id: 'app/review/A-1', logical: 'app/review/A-1', attempt: 1, repo: 'app', workflow: 'review', ticket: { id: 'A-1', key: 'A-1', title: 'T' }, state: 'waiting', node: 'build', visit: 'v',
  lastError: null, retry: null, attention: null, reason: null, mailboxes: null, workspace: null, spent: { runner: 1, task: 2, harness: 3 }, createdAt: 0, startedAt: 10_000, updatedAt: 0, finishedAt: null,
};
const STEP: StoredStep = {
  sequence: 1, node: 'build', visit: 'v', type: 'agent', parent: null, depth: 0, status: 'waiting', startedAt: 10_000, finishedAt: null, message: null, route: null, retries: 0,
  waitingSince: 11_000, waited: null, terminal: null, session: null,
};

it('shows no time below zero when the clock was set back', () => {
  const { steps, resourcesDuration } = runDetail({ run: RUN, facts: {}, steps: [STEP, { ...STEP, sequence: 2, finishedAt: 5_000 }], definition: undefined, proposal: undefined, now: 4_000 });
  expect(steps.map(({ duration, waited }) => [duration, waited])).toEqual([[0, 0], [0, 0]]);
  expect(resourcesDuration.other).toBe(0);
});

describe('what a run waits for or does', () => {
  const retry = { attempt: 1, lastError: 'No.', nextRetryAt: 1 };

  it.each([
    ['starting', null, {}, 'starting'], ['starting', retry, {}, 'retrying'],
    ['running', null, {}, 'running'], ['running', retry, {}, 'retrying'],
    ['waiting', null, {}, 'agent'], ['waiting', null, { queued: true }, 'queued'], ['waiting', retry, {}, 'retrying'],
    ['waiting', null, { reported: 'proposed' }, 'person'], ['waiting', null, { reported: 'taken' }, 'running'],
    ['blocked', null, {}, 'blocked'], ['blocked', retry, {}, 'blocked'],
    ['completed', null, {}, 'completed'], ['canceling', retry, {}, 'canceling'], ['canceled', null, {}, 'canceled'],
  ] as const)('%s %j %j is %s', (state, again, facts, phase) => {
    expect(phaseOf({ state, retry: again }, facts)).toBe(phase);
    expect(runDetail({ run: { ...RUN, state, retry: again }, facts, steps: [], definition: undefined, proposal: undefined, now: 0 })).toMatchObject({ state, phase });
  });
});
