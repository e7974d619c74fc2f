import type { RunDetail, RunRow, StepView } from '../../src/server/answers.js';

/** A fixed afternoon, local time. */
export const NOW = new Date(2031, 3, 1, 14, 5, 0).getTime();
const MINUTE = 60_000;

/** As a server says it for a headless agent at work, where a test says nothing else. */
function phaseOf({ state = 'running', retry = null, phase }: Partial<RunRow>): RunRow['phase'] {
  return phase ?? (state === 'waiting' ? 'agent' : state === 'running' && retry !== null ? 'retrying' : state);
}

export function row(over: Partial<RunRow> = {}): RunRow {
  return {
    id: 'app/change/ABC-12', logicalRunId: 'app/change/ABC-12', attempt: 1, repo: 'app', workflow: 'change',
    ticket: { id: '10012', key: 'ABC-12', title: 'Filter the list of orders by date' },
    state: 'running', phase: phaseOf(over), currentNode: 'implement', currentNodeVisitId: 'v1', lastError: null, retry: null, attention: null,
    createdAt: NOW - 31 * MINUTE, startedAt: NOW - 30 * MINUTE, updatedAt: NOW - MINUTE, finishedAt: null, ...over,
  };
}

export function step(over: Partial<StepView> = {}): StepView {
  return {
    runId: 'app/change/ABC-12', sequence: 1, node: 'start', nodeVisitId: 'v0', nodeType: 'agent', parentSequence: null, depth: 0, status: 'succeeded',
    startedAt: NOW - 30 * MINUTE, finishedAt: NOW - 30 * MINUTE + 400, duration: 400, message: null, route: null, retries: 0, waited: null, runtime: null, ...over,
  };
}

export function detail(over: Partial<RunDetail> = {}): RunDetail {
  return {
    ...row(over),
    conditions: { nodeRunning: true, waiting: false, retryScheduled: false, completed: false, failed: false, canceled: false },
    progress: { completed: 1, total: 3, pending: 1 },
    resourcesDuration: { known: true, runner: 1_500, taskSystem: 3_200, harness: 900, other: 29 * MINUTE },
    steps: [
      step({ nodeType: 'lifecycle', route: 'implement' }),
      step({ sequence: 2, node: 'implement', status: 'running', startedAt: NOW - 29 * MINUTE, finishedAt: null, duration: null }),
      step({ sequence: null, node: 'review', status: 'pending', startedAt: null, finishedAt: null, duration: null }),
    ],
    proposal: null, workspace: '/home/ann/.relay-flow/worktrees/app/ABC-12', ...over,
  };
}

/** Went back once, and waits for a person. */
export const WAITS_FOR_APPROVAL = detail({
  state: 'waiting', phase: 'person', currentNode: 'approve', attention: 'A person must approve or reject the report of approve.',
  progress: { completed: 5, total: 9, pending: 2 },
  steps: [
    step({ nodeType: 'lifecycle', route: 'implement' }),
    step({ sequence: 2, node: 'implement', duration: 12 * MINUTE + 5_000, waited: 11 * MINUTE, retries: 2, route: 'review', message: '- The list of orders can be filtered by date.\n- The filter is kept in the address, so that it can be sent to others. '.repeat(3) }),
    step({ sequence: 3, node: 'review', status: 'failed', duration: 4 * MINUTE, waited: 3 * MINUTE, route: 'implement', message: 'Dates without a time zone are shifted by a day.' }),
    step({ sequence: 4, node: 'implement', depth: 1, duration: 3 * MINUTE, waited: 2 * MINUTE, retries: 1, route: 'review', message: 'None' }),
    step({ sequence: 5, node: 'review', depth: 1, duration: 2 * MINUTE, route: 'approve', message: 'Nothing is left to do.' }),
    step({ sequence: 6, node: 'approve', nodeType: 'hitl', status: 'waiting', startedAt: NOW - 3 * MINUTE, finishedAt: null, duration: null, waited: 2 * MINUTE }),
    step({ sequence: null, node: 'end', nodeType: 'lifecycle', status: 'pending', startedAt: null, finishedAt: null, duration: null }),
    step({ sequence: null, node: 'implement', status: 'pending', startedAt: null, finishedAt: null, duration: null }),
  ],
  proposal: { node: 'approve', reportId: 'ses_1:msg_4', text: 'STATUS: success\nNEXT STEP: end\n\nSUMMARY:\nCOMPLETED: Looked at \u001B[2Jeverything.', at: NOW - 2 * MINUTE },
});

export const BLOCKED = detail({
  state: 'blocked', attempt: 2, lastError: 'The ticket is in the status Rejected.', attention: 'Move ABC-12 to To Do or In Progress.',
  retry: { attempt: 7, lastError: 'The ticket is in the status Rejected.', nextRetryAt: NOW + 4 * MINUTE },
  steps: [step({ nodeType: 'lifecycle', status: 'blocked', finishedAt: null, duration: null, retries: 7 })],
});

/** An agent without a terminal that was given up. */
export const GIVEN_UP = detail({
  state: 'blocked', currentNode: 'implement', lastError: 'implement gave no valid report in 6 turns: There is no report in this text.',
  attention: 'Read /home/ann/.relay-flow/logs/turn-6.out, then start it again with `relay-flow run reject --ticket ABC-12 --reason "…"`, or cancel the run.',
  steps: [step({ nodeType: 'lifecycle', route: 'implement' }), step({ sequence: 2, node: 'implement', status: 'blocked', finishedAt: null, duration: null, retries: 5 })],
});

/** What a ticket and an agent may write. */
export const HOSTILE = detail({
  ticket: { id: '1', key: `A'; rm -rf ~`, title: '\u001B]0;owned\u0007日本語のチケット \u202Eevil\u202C 👩‍👩‍👧‍👦'.repeat(3) },
  workspace: '/tmp/\u001B[31mred',
  steps: [step({ message: `\u001B[2J\u009B1A${'日本'.repeat(200)}` }), step({ sequence: 2, node: 'x'.repeat(90), route: 'y'.repeat(90), retries: 12, waited: 5_000 })],
  attention: `${'word '.repeat(60)}\u001B[1m`,
});
