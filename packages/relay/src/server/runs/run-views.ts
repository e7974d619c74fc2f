import type { NextStep } from 'relay-flow-plugin/report';
import { isWorkNode, type WorkflowDefinition } from '../../workflow/definition.js';
import { routesOf } from '../../workflow/routes.js';
import type { StoredProposal, StoredRun, StoredStep } from '../../store/rows.js';
import { headlessKey } from '../activities/runtimes.js';
import type { RunDetail, RunRow, StepView } from '../answers.js';
import type { Workshop } from '../workshop.js';
import { phaseOf, type VisitFacts } from './phase.js';

type Known = Pick<Workshop, 'store' | 'headless'>;

/** Runs as they are listed. */
export function shownRuns({ store, headless }: Known, runs: readonly StoredRun[]): readonly RunRow[] {
  const reported = store.reportedVisits();
  return runs.map((run) => runRow(run, factsOf(run, reported, headless)));
}

/** One run as it is listed. */
export function shownRun({ store, headless }: Known, run: StoredRun): RunRow {
  return runRow(run, factsOf(run, store.reportedVisits(run.id), headless));
}

/** All that is shown of one run. */
export function shownDetail(shop: Known & Pick<Workshop, 'clock'>, run: StoredRun): RunDetail {
  const { store, headless, clock } = shop;
  return runDetail({ run, facts: factsOf(run, store.reportedVisits(run.id), headless), steps: store.steps(run.id), definition: store.definition(run.id), proposal: store.proposal(run.id), now: clock.now() });
}

function factsOf(run: StoredRun, reported: ReadonlyMap<string, 'proposed' | 'taken'>, headless: Pick<Workshop['headless'], 'live'>): VisitFacts {
  if (run.state !== 'waiting') return {};
  return { reported: reported.get(run.id), queued: run.node !== null && headless.live(headlessKey(run.id, run.node)) === 'queued' };
}

function runRow(run: StoredRun, facts: VisitFacts): RunRow {
  return {
    id: run.id,
    logicalRunId: run.logical,
    attempt: run.attempt,
    repo: run.repo,
    workflow: run.workflow,
    ticket: run.ticket,
    state: run.state,
    phase: phaseOf(run, facts),
    currentNode: run.node,
    currentNodeVisitId: run.visit,
    lastError: run.lastError ?? (run.state === 'canceled' ? run.reason : null),
    retry: run.retry,
    attention: run.attention,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    updatedAt: run.updatedAt,
    finishedAt: run.finishedAt,
  };
}

/** The same from what is known of it. Pure. */
export function runDetail(args: { readonly run: StoredRun; readonly facts: VisitFacts; readonly steps: readonly StoredStep[]; readonly definition: WorkflowDefinition | undefined; readonly proposal: StoredProposal | undefined; readonly now: number }): RunDetail {
  const { run, definition, proposal, now } = args;
  const walked = args.steps.map((step) => stepView(run, step, now));
  const pending = pendingSteps(run, args.steps, definition);
  const completed = walked.filter(({ status }) => status === 'succeeded' || status === 'failed').length;
  const known = run.startedAt !== null;
  const whole = known ? (run.finishedAt ?? now) - (run.startedAt ?? now) : 0;
  const { runner, task, harness } = run.spent;
  return {
    ...runRow(run, args.facts),
    conditions: {
      nodeRunning: run.state === 'running',
      waiting: run.state === 'waiting',
      retryScheduled: run.retry !== null,
      completed: run.state === 'completed',
      failed: run.state === 'blocked',
      canceled: run.state === 'canceling' || run.state === 'canceled',
    },
    progress: { completed, total: walked.length + pending.length, pending: pending.length },
    resourcesDuration: { known, runner, taskSystem: task, harness, other: Math.max(0, whole - runner - task - harness) },
    steps: [...walked, ...pending],
    proposal: proposal === undefined || run.visit !== proposal.visit ? null : { node: proposal.node, reportId: proposal.reportId, text: proposal.text, at: proposal.at },
    workspace: run.workspace,
  };
}

function stepView(run: StoredRun, step: StoredStep, now: number): StepView {
  const open = step.finishedAt === null;
  const waited = step.waited === null && step.waitingSince === null ? null : (step.waited ?? 0) + (step.waitingSince === null ? 0 : Math.max(0, now - step.waitingSince));
  return {
    runId: run.id,
    sequence: step.sequence,
    node: step.node,
    nodeVisitId: step.visit,
    nodeType: step.type,
    parentSequence: step.parent,
    depth: step.depth,
    status: open && run.state === 'blocked' ? 'blocked' : step.status,
    startedAt: step.startedAt,
    finishedAt: step.finishedAt,
    // A clock that was set back makes nothing shorter than nothing.
    duration: Math.max(0, (step.finishedAt ?? now) - step.startedAt),
    message: step.message,
    route: step.route,
    retries: step.retries,
    waited,
    runtime: step.terminal === null && step.session === null ? null : { terminal: step.terminal, session: step.session },
  };
}

/** The nodes that the current one can lead to next. */
function pendingSteps(run: StoredRun, steps: readonly StoredStep[], definition: WorkflowDefinition | undefined): readonly StepView[] {
  const node = run.node === null ? undefined : definition?.nodes[run.node];
  if (node === undefined || definition === undefined || run.state === 'completed' || run.state === 'canceled' || run.state === 'canceling') return [];
  const routes = isWorkNode(node) ? routesOf(node) : { success: node.onSuccess, failure: [] as readonly NextStep[] };
  const last = steps.at(-1);
  const targets = [...new Set([...routes.success, ...routes.failure].map(({ target }) => target))];
  return targets.map((target) => ({
    runId: run.id, sequence: null, node: target, nodeVisitId: null, nodeType: definition.nodes[target]?.type ?? 'lifecycle', parentSequence: last?.sequence ?? null,
    depth: steps.filter((step) => step.node === target).length, status: 'pending', startedAt: null, finishedAt: null, duration: null, message: null, route: null, retries: 0, waited: null, runtime: null,
  }));
}
