import { FlowsError } from '../errors/flows-error.js';
import type { Outcome } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { formatDuration } from '../run/duration.js';
import { failureOf } from '../run/failure.js';
import { addSpend } from '../run/spend.js';
import type { AttemptContext, AttemptResult } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';
import { asJsonObject } from './answer.js';
import { beginning, readNotes, retryAgent, type Beginning } from './continuation.js';
import type { AgentPlan } from './options.js';
import { violationFailure } from './permissions/violation.js';
import type { Prepared } from './prepare.js';
import { takeRound, type Round, type Work } from './round.js';
import type { ResolvedAgent } from './services.js';
import { treeRequest, unreadable } from './step-place.js';
import { turnFailure } from './turn-failure.js';

/** Makes one attempt: waits for its turn, prepares the directory, lets the agent work, and judges what came of it. */
export async function attemptAgent(scope: VerbScope, plan: AgentPlan, attempt: AttemptContext): Promise<AttemptResult> {
  const { disk } = scope.agents;
  const directory = attempt.directory({ cwd: plan.cwd, code: 'worker_error' });
  const slot = await attempt.turn(() => scope.agents.agentSlots.acquire({ directory, signal: attempt.signal }));
  try {
    const agent = await scope.agents.resolve({ name: plan.name, cli: plan.cli, model: plan.model, header: scope.header, config: scope.config, run: scope.run, signal: attempt.signal });
    const transcript = disk.openTranscript({ file: attempt.file('transcript.jsonl'), redact: attempt.redact, now: () => attempt.clock.now() });
    try {
      return await makeAttempt({ scope, plan, attempt, directory, agent, agents: scope.agents, transcript, turn: slot.turn, rule: await disk.writeRule(plan.permissions) });
    } finally {
      await transcript.end();
    }
  } finally {
    slot.release();
  }
}

async function makeAttempt(work: Work): Promise<AttemptResult> {
  const { plan, attempt, agent } = work;
  const { disk } = work.agents;
  const { abilities } = agent.adapter;
  await refuseSession(work);
  warnAboutNetwork(plan, agent, attempt);
  const notes = readNotes(attempt.previous?.extra);
  await disk.sweepLeftovers(attempt, [notes?.held, notes?.baseline]);
  const violation = attempt.resumed && notes !== undefined ? await disk.leftByLostAttempt(work, notes) : undefined;
  if (violation !== undefined) return { outcome: { ok: false, error: violation } };
  if (attempt.resumed && notes !== undefined && plan.recoveryMode === 'manual') throw interrupted(plan, attempt);

  const begun = beginning({ plan, abilities, notes, sessionId: attempt.previous?.sessionId, resumed: attempt.resumed, previousFailure: attempt.previousFailure });
  const tail = async (): Promise<string> => (notes?.transcript === undefined ? '' : await disk.transcriptTail(notes.transcript));
  let round = await takeRound(work, { begun, notes, tail: begun.kind === 'again' ? await tail() : '', usedMs: 0 });
  if (sessionIsGone(round, begun)) {
    attempt.warn('session_lost', `${agent.cli} no longer knows session ${begun.resume ?? ''} of agent "${plan.name}", so a new one was begun with the end of the transcript.`);
    const { resume: _gone, ...rest } = begun;
    const first = round;
    round = await takeRound(work, { begun: { ...rest, kind: 'again', ...(plan.resume === undefined ? {} : { resume: plan.resume }) }, notes, tail: await tail(), usedMs: first.tookMs });
    const { wallclock: _clock, ...spend } = addSpend({ wallclock: 0, ...first.spend }, { wallclock: 0, ...round.spend });
    round = { ...round, spend };
  }
  return await resultOf(work, begun, round);
}

/** The runtime chose to continue a session that is gone: the step can still be done. When the author asked for it, only the author knows. */
function sessionIsGone({ turn, finding }: Round, begun: Beginning): boolean {
  return begun.kind === 'continue' && turn.outcome.class === 'failed' && turn.outcome.sessionUnknown === true && (finding === undefined || finding.forbidden.length === 0);
}

async function resultOf(work: Work, begun: Beginning, round: Round): Promise<AttemptResult> {
  const { attempt, plan } = work;
  const outcome = await judge(work, begun, round);
  const stopped = round.turn.outcome.class === 'canceled';
  const repeated = !outcome.ok && (stopped || retryAgent(plan, outcome.error) !== undefined);
  if (!repeated && round.prepared.notes.baseline !== undefined) await work.agents.disk.dropBaseline(round.prepared.notes.baseline);
  const exitCode = round.turn.process?.exitCode;
  return { outcome: attempt.redact.json(outcome as unknown as JsonValue) as unknown as Outcome, redacted: true, spend: round.spend, ...(exitCode === undefined ? {} : { exitCode }) };
}

async function judge(work: Work, begun: Beginning, round: Round): Promise<Outcome> {
  const outcome = round.refusal === undefined ? await outcomeOf(work, begun, round) : { ok: false as const, error: round.refusal };
  const also = outcome.ok ? undefined : outcome.error;
  if (round.unverified !== undefined) return { ok: false, error: also ?? failureOf(round.unverified) };
  const { rule, attempt, plan } = work;
  if (rule === undefined || round.finding === undefined || round.finding.forbidden.length === 0) return outcome;
  const canceled = also?.code === 'canceled';
  const error = violationFailure({ agent: plan.name, rule, finding: round.finding, ...(also === undefined || canceled ? {} : { also }) });
  if (!canceled) return { ok: false, error };
  // The attempt has no outcome of its own: the one that repeats it will fail with this, before it spends anything.
  attempt.progress({ extra: { ...round.notes, violation: error } as unknown as JsonValue });
  attempt.warn('permissions_violated', error.text);
  return outcome;
}

async function outcomeOf(work: Work, begun: Beginning, { turn, prepared, sessionId }: Round): Promise<Outcome> {
  const { outcome } = turn;
  const { plan, attempt, transcript } = work;
  if (outcome.class !== 'success' && outcome.class !== 'timeout') {
    const artifacts = outcome.class === 'canceled' ? undefined : await artifactsOf(work, prepared).catch(() => undefined);
    return { ok: false, error: turnFailure({ plan, begun, outcome, transcriptPath: transcript.file, artifacts, now: attempt.clock.now() }) };
  }
  const object = outcome.class === 'success' ? asJsonObject(outcome.message) : undefined;
  if (object !== undefined) return { ok: true, value: object };
  let artifacts: string[];
  try {
    artifacts = await artifactsOf(work, prepared);
  } catch (error) {
    // Not thrown: what the turn cost is charged all the same.
    return { ok: false, error: failureOf(error) };
  }
  return { ok: true, value: { completionReason: outcome.class, summary: summaryOf(outcome, attempt), artifacts, ...(sessionId === undefined ? {} : { sessionId }) } };
}

function summaryOf(outcome: { readonly class: 'success' | 'timeout'; readonly message?: string }, attempt: AttemptContext): string {
  if (outcome.class === 'success') return outcome.message ?? '';
  const said = outcome.message === undefined ? 'It had said nothing.' : `It had said: ${outcome.message}`;
  const after = attempt.timeoutMs === undefined ? '' : ` after ${formatDuration(attempt.timeoutMs)}`;
  return `The agent was stopped${after}. ${said}`;
}

async function artifactsOf(work: Work, prepared: Prepared): Promise<string[]> {
  try {
    return await work.agents.disk.changedSince(prepared.before, treeRequest(work));
  } catch (error) {
    throw unreadable(error, work.directory);
  }
}

/** Throws `agent_cli_unresolved` for a session that the CLI cannot go on with. */
async function refuseSession({ plan, attempt, agent, agents, directory }: Work): Promise<void> {
  if (plan.resume === undefined) return;
  const { resume } = agent.adapter.abilities;
  if (resume === 'no') {
    throw new FlowsError('agent_cli_unresolved', `Agent "${plan.name}" is to resume a session, and ${agent.cli} keeps none.`, { hint: 'Leave resume out, or use a CLI that keeps sessions.' });
  }
  const home = resume === 'same_directory' ? await agents.disk.directoryOfSession(attempt.run, plan.resume) : undefined;
  if (home === undefined || home === directory) return;
  throw new FlowsError('agent_cli_unresolved', `Agent "${plan.name}" is to resume session ${plan.resume} in ${directory}, and it belongs to ${home}: ${agent.cli} continues a session only where it was begun.`, {
    hint: 'Give the step the cwd of the step that began the session, or leave resume out.',
    evidence: { session: plan.resume, directory, home },
  });
}

/** What is written is verified by the runtime. Where an agent connects to is not seen by it. */
function warnAboutNetwork(plan: AgentPlan, agent: ResolvedAgent, attempt: AttemptContext): void {
  const hosts = plan.permissions?.networkAllowlist;
  if (hosts === undefined || agent.adapter.abilities.enforces.includes('networkAllowlist')) return;
  attempt.warn('permissions_unenforced', `${agent.cli} cannot be held to the networkAllowlist of agent "${plan.name}" (${hosts.length === 0 ? 'no host' : hosts.join(', ')}): it can reach every host that this machine can.`);
}

function interrupted(plan: AgentPlan, attempt: AttemptContext): FlowsError {
  return new FlowsError('crashed', `Agent "${plan.name}" was at work when its process died, and its recoveryMode is 'manual'.`, {
    hint: `Look at what it left in the directory, then run the flow again. Its transcript lies beside ${attempt.file('transcript.jsonl')}.`,
    completionReason: 'crashed',
  });
}

