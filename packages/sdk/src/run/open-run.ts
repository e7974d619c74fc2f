import type { FlowHeader } from '@relayflows/surface';
import { preflightAgents, type AgentResolution } from '../agents/preflight.js';
import { FlowsError } from '../errors/flows-error.js';
import type { FlowsConfig } from '../flow/config.js';
import { headerProblems } from '../flow/header.js';
import type { LoadedFlow } from '../flow/loaded.js';
import type { Claim, Journal, OwnerIdentity, RunRecord, StepRecord } from '../journal/port.js';
import type { ProcessIdentity } from '../process/identity.js';
import type { ActiveRun, Opening } from './active-run.js';
import { parseBudget, type Budget } from './budget.js';
import { assertKnownFlags, CURRENT_FLAGS } from './flags.js';
import type { FlowFinder, RunnableFlow } from './flow-source.js';
import { ownedByOther, takeOverEpoch } from './owner.js';
import { buildReport } from './report-builder.js';
import { CANCEL_SIGNAL } from './mailbox-names.js';
import { inputOf } from './run-input.js';
import type { RuntimeServices, SessionFacts } from './services.js';
import type { RunFacts } from './step-spec.js';
import { RunSession } from './session.js';

export interface OpeningFacts {
  readonly services: RuntimeServices;
  readonly sources: FlowFinder;
  readonly owner: OwnerIdentity;
  readonly leaseMs: number;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly journalPath: string | undefined;
}

/** Creates a run and its first session. Everything that can be refused is refused before the journal is touched. */
export async function openNew(facts: OpeningFacts, active: ActiveRun, request: { readonly runId: string; readonly runnable: RunnableFlow; readonly input: unknown; readonly cwd: string }): Promise<Opening> {
  const { services } = facts;
  const { flow, ref, stored } = request.runnable;
  const budget = budgetOf(flow);
  const cwd = await services.machine.runDirectory(request.cwd);
  const config = services.machine.config(request.runnable.path);
  const input = services.redact.json(inputOf(request.input));
  const run: RunFacts = { runId: request.runId, flowName: flow.name, cwd, dataDir: facts.dataDir, hostEnv: facts.env };
  const resolutions = await preflight({ services, runnable: request.runnable, config, run, active });
  const now = services.clock.now();
  const claim = await services.journal.createRun({
    run: {
      id: request.runId, flowName: flow.name, source: ref, input, cwd, createdAt: now, flags: CURRENT_FLAGS,
      ...(flow.definition.header.version === undefined ? {} : { flowVersion: flow.definition.header.version }),
    },
    ...(stored === undefined ? {} : { source: stored }),
    owner: facts.owner,
    leaseUntil: now + facts.leaseMs,
  });
  return openSession({ facts, active, claim, runnable: request.runnable, config, history: [], budget, before: undefined, run, resolutions });
}

/** Claims a run and opens a session on its history; a run that has ended is only reported. */
export async function openExisting(facts: OpeningFacts, active: ActiveRun, request: {
  readonly runId: string; readonly source?: RunnableFlow | undefined; readonly release?: { readonly stepId: string; readonly decision: 'rerun' | 'fail' } | undefined;
}): Promise<Opening> {
  const { services, journalPath } = facts;
  const { journal, clock } = services;
  const before = await journal.run({ runId: request.runId });
  if (before === undefined) {
    throw new FlowsError('run_not_found', `There is no run ${JSON.stringify(request.runId)} in ${journalPath ?? 'the journal'}.`, { hint: 'List them with `flows runs`.', runId: request.runId });
  }
  if (before.status === 'completed' || before.status === 'failed' || before.status === 'canceled') {
    const rows = await journal.history({ runId: before.id });
    return { finished: buildReport({ run: before, status: before.status, completion: before.completion, rows, warnings: [], endedAt: before.updatedAt, journalPath }) };
  }
  assertKnownFlags(before.id, before.flags);
  if (request.release !== undefined) await assertUndecided(journal, before.id, request.release.stepId);
  const runnable = request.source ?? (await facts.sources.ofRun(before, journal));
  const budget = budgetOf(runnable.flow);
  await services.machine.runDirectory(before.cwd);
  const config = services.machine.config(runnable.path);
  // A claim of this runtime that it executes nothing under was left behind when the journal could not be written.
  const takeOver = before.owner?.token === facts.owner.token ? before.epoch : takeOverEpoch(before);
  const now = clock.now();
  if (before.owner !== undefined && takeOver === undefined && (before.leaseUntil ?? 0) > now) throw ownedByOther(before);
  const claim = await journal.claim({ runId: before.id, owner: facts.owner, now, leaseUntil: now + facts.leaseMs, ...(takeOver === undefined ? {} : { takeOver }) });
  if (request.release !== undefined) await journal.markHumanInfluenced({ runId: before.id });
  const history = await journal.history({ runId: before.id });
  if (before.status === 'running') await services.machine.sweep(before.id, recordedGroups(history));
  const run: RunFacts = { runId: before.id, flowName: before.flowName, cwd: before.cwd, dataDir: facts.dataDir, hostEnv: facts.env };
  return openSession({ facts, active, claim, runnable, config, history, budget, before, run, resolutions: [], release: request.release, adopt: request.source });
}

interface SessionRequest {
  readonly facts: OpeningFacts;
  readonly active: ActiveRun;
  readonly claim: Claim;
  readonly runnable: RunnableFlow;
  readonly config: FlowsConfig | undefined;
  readonly history: readonly StepRecord[];
  readonly budget: Budget | undefined;
  readonly before: RunRecord | undefined;
  readonly run: RunFacts;
  readonly resolutions: readonly AgentResolution[];
  readonly release?: { readonly stepId: string; readonly decision: 'rerun' | 'fail' } | undefined;
  readonly adopt?: RunnableFlow | undefined;
}

async function openSession(request: SessionRequest): Promise<Opening> {
  const { facts, active, claim, runnable, before, adopt: adopted } = request;
  const { journal, clock } = facts.services;
  const { run } = claim;
  const sessionFacts: SessionFacts = {
    services: facts.services,
    claim,
    run: request.run,
    config: request.config,
    budget: runnable.flow.definition.header.budget,
    emit: (event) => active.emit(event),
    warn: (code, text, stepId) => active.warn(code, facts.services.redact.text(text), stepId),
  };
  const session = new RunSession({
    facts: sessionFacts,
    flow: runnable.flow,
    input: run.input,
    history: request.history,
    budget: request.budget,
    chargedToday: () => journal.charged({ flowName: run.flowName, since: startOfDay(clock.now()) }),
    restStatus: before?.status === 'parked' ? { status: 'parked', wakeAt: before.wakeAt } : { status: 'interrupted' },
    ...(request.release === undefined ? {} : { release: request.release }),
    ...(adopted === undefined ? {} : { onLive: () => adopt(journal, claim, adopted) }),
    sweep: () => facts.services.machine.sweep(run.id, []),
  });
  if (before !== undefined && (await journal.signals({ runId: run.id })).some(({ name }) => name === CANCEL_SIGNAL)) void active.cancel();
  return { claim, run, session, resumed: before !== undefined, resolutions: request.resolutions };
}

/** Finds and asks every coding-agent CLI that the flow names, before anything is recorded; the first that cannot be used refuses the run. */
async function preflight(args: { readonly services: RuntimeServices; readonly runnable: RunnableFlow; readonly config: FlowsConfig | undefined; readonly run: RunFacts; readonly active: ActiveRun }): Promise<readonly AgentResolution[]> {
  const { flow, code } = args.runnable;
  const found = await preflightAgents({ agents: args.services.agents, headers: headersOf(flow), config: args.config, run: args.run, code });
  throwAll(found.problems);
  for (const { code: warning, text } of found.warnings) args.active.warn(warning, args.services.redact.text(text));
  return found.resolutions;
}

function headersOf(flow: LoadedFlow): FlowHeader[] {
  return [flow.definition.header, ...[...flow.children.values()].flatMap(headersOf)];
}

/** The history has been repeated with another source: from now on the run has that one. */
async function adopt(journal: Journal, claim: Claim, { ref, stored }: RunnableFlow): Promise<void> {
  if (stored === undefined) return;
  await journal.adoptSource({ runId: claim.runId, epoch: claim.epoch, ref, source: stored });
  await journal.markHumanInfluenced({ runId: claim.runId });
}

/** A decision about a step that does not wait for one is a mistake, and would mark the run as altered for nothing. */
async function assertUndecided(journal: Journal, runId: string, stepId: string): Promise<void> {
  const open = (await journal.history({ runId })).filter((row) => row.outcome === undefined && row.wait === undefined).map((row) => row.stepId);
  if (open.includes(stepId)) return;
  throw new FlowsError('invalid_invocation', `Step ${JSON.stringify(stepId)} of run ${runId} does not wait for a decision.`, {
    hint: open.length === 0 ? 'No step of the run does.' : `Steps that do: ${open.join(', ')}.`, runId, evidence: { open },
  });
}

/** The process groups that a dead owner recorded of steps it did not finish. */
function recordedGroups(history: readonly StepRecord[]): ProcessIdentity[] {
  return history.flatMap((row) => (row.outcome === undefined ? (row.progress?.processes ?? []) : []));
}

/** Refuses a flow whose header this runtime cannot run; gives its budget. */
function budgetOf(flow: LoadedFlow): Budget | undefined {
  throwAll(headerProblems(flow));
  const { budget } = flow.definition.header;
  return budget === undefined ? undefined : parseBudget(budget);
}

/** Several problems are told at once, under the code of the first. */
function throwAll(problems: readonly FlowsError[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new FlowsError(first.code, problems.map(({ text }) => text).join(' '), {
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    evidence: { ...first.evidence, problems: problems.map((problem) => problem.toJSON()) },
  });
}

/** The beginning of the calendar day in UTC. */
function startOfDay(now: number): number {
  return now - (now % 86_400_000);
}
