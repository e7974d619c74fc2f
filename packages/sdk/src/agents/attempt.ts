import { FlowsError } from '../errors/flows-error.js';
import type { Outcome, StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { resolveStepDirectory } from '../process/step-directory.js';
import { formatDuration } from '../run/duration.js';
import type { AttemptContext, AttemptResult } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';
import { asJsonObject } from './answer.js';
import { changedSince } from './directory/artifacts.js';
import { dropBaseline } from './directory/baseline.js';
import { charge } from './charge.js';
import { beginning, evidenceOf, instruction, readNotes, retryAgent, type AgentNotes, type Beginning } from './continuation.js';
import type { AgentPlan } from './options.js';
import type { AgentOutcome, AgentRequest, AgentTurn } from './port.js';
import { prepareDirectory, treeRequest, unreadable, type Prepared } from './prepare.js';
import type { ResolvedAgent } from './services.js';
import { settleTurn } from './settle.js';
import { Transcript, transcriptTail } from './transcript.js';
import { turnRequest } from './turn-request.js';

/** What one attempt of an agent step works with. */
interface Work {
  readonly scope: VerbScope;
  readonly plan: AgentPlan;
  readonly attempt: AttemptContext;
  readonly directory: string;
  readonly agent: ResolvedAgent;
  readonly begun: Beginning;
}

/** Makes one attempt: waits for its turn, prepares the directory, lets the agent work, and judges what came of it. */
export async function attemptAgent(scope: VerbScope, plan: AgentPlan, attempt: AttemptContext): Promise<AttemptResult> {
  const directory = resolveStepDirectory({ runDir: attempt.run.cwd, cwd: plan.cwd, code: 'worker_error' });
  const slot = await attempt.turn(() => scope.agents.agentSlots.acquire({ directory, signal: attempt.signal }));
  try {
    return await work(scope, plan, attempt, directory);
  } finally {
    slot.release();
  }
}

async function work(scope: VerbScope, plan: AgentPlan, attempt: AttemptContext, directory: string): Promise<AttemptResult> {
  const agent = await scope.agents.resolve({ name: plan.name, cli: plan.cli, model: plan.model, header: scope.header, config: scope.config, run: scope.run, signal: attempt.signal });
  const { abilities } = agent.adapter;
  if (plan.resume !== undefined && abilities.resume === 'no') {
    throw new FlowsError('agent_cli_unresolved', `agent "${plan.name}" is to resume a session, and ${agent.cli} keeps none`, { hint: 'Leave resume out, or use a CLI that keeps sessions.' });
  }
  warnAboutPermissions(plan, agent, attempt);
  const notes = readNotes(attempt.previous?.extra);
  if (attempt.resumed && notes !== undefined && plan.recoveryMode === 'manual') throw interrupted(plan, attempt);
  const begun = beginning({ plan, abilities, notes, sessionId: attempt.previous?.sessionId, resumed: attempt.resumed, previousFailure: attempt.previousFailure });
  const prepared = await prepareDirectory({ attempt, agents: scope.agents, plan, directory, begun, notes });
  const tail = begun.kind === 'again' && notes?.transcript !== undefined ? await transcriptTail(notes.transcript) : '';
  const task = instruction({ kind: begun.kind, task: plan.task, transcript: tail, directory: prepared.state });

  const on: Work = { scope, plan, attempt, directory, agent, begun };
  const transcript = new Transcript({ file: attempt.file('transcript.jsonl'), redact: attempt.redact, now: () => attempt.clock.now() });
  const { turn, sessionId } = await takeTurn(on, { task, prepared, transcript });
  await transcript.end();

  const { spend, refusal } = settleTurn({ scope, attempt, turn, model: agent.model, agent: `agent "${plan.name}"` });
  const outcome: Outcome = refusal === undefined ? await judge(on, turn, { prepared, sessionId, transcript }) : { ok: false, error: refusal };
  const repeated = !outcome.ok && (turn.outcome.class === 'canceled' || retryAgent(plan, outcome.error) !== undefined);
  if (!repeated && prepared.notes.baseline !== undefined) await dropBaseline(prepared.notes.baseline);
  const exitCode = turn.process?.exitCode;
  return { outcome: attempt.redact.json(outcome as unknown as JsonValue) as unknown as Outcome, redacted: true, spend, ...(exitCode === undefined ? {} : { exitCode }) };
}

/** Lets the agent work, and records what must be known if this process dies meanwhile. */
async function takeTurn(on: Work, told: { readonly task: string; readonly prepared: Prepared; readonly transcript: Transcript }): Promise<{ readonly turn: AgentTurn; readonly sessionId: string | undefined }> {
  const { attempt, agent, begun, scope, plan } = on;
  const { transcript } = told;
  let notes: AgentNotes = {
    iteration: begun.iteration, losses: begun.losses, transcript: transcript.file, ...told.prepared.notes,
    ...(begun.kind === 'continue' ? { sessionSeen: true } : {}),
  };
  const session: AgentRequest['session'] =
    begun.resume !== undefined ? { kind: 'resume', id: begun.resume }
    : agent.adapter.abilities.choosesSessionId ? { kind: 'new', id: attempt.ids.uuid() }
    : undefined;
  let sessionId = session?.id;
  attempt.progress({ extra: notes as unknown as JsonValue, ...(sessionId === undefined ? {} : { sessionId }) });
  transcript.addTask(told.task);
  const price = agent.model === undefined ? undefined : scope.agents.priceOf(agent.model);

  const turn = await agent.adapter.execute({
    ...turnRequest({ scope, attempt, agent }),
    mode: 'agent',
    task: told.task,
    cwd: on.directory,
    ...(session === undefined ? {} : { session }),
    ...(plan.permissions === undefined ? {} : { permissions: plan.permissions }),
    ...(attempt.timeoutMs === undefined ? {} : { timeoutMs: attempt.timeoutMs }),
    onEvent: (event) => {
      if (event.type === 'session') {
        sessionId = event.sessionId;
        notes = { ...notes, sessionSeen: true };
        attempt.progress({ sessionId, extra: notes as unknown as JsonValue });
      }
      if (event.type === 'usage') attempt.progress({ spend: { wallclock: 0, ...charge({ usage: event, price }) } });
      const redacted = attempt.redact.json(event);
      transcript.add(redacted);
      attempt.agent(redacted);
    },
  });
  return { turn, sessionId: turn.sessionId ?? sessionId };
}

async function judge(on: Work, turn: AgentTurn, known: { readonly prepared: Prepared; readonly sessionId: string | undefined; readonly transcript: Transcript }): Promise<Outcome> {
  const { outcome } = turn;
  const session = known.sessionId === undefined ? {} : { sessionId: known.sessionId };
  if (outcome.class === 'success') {
    const object = asJsonObject(outcome.message);
    if (object !== undefined) return { ok: true, value: object };
    return { ok: true, value: { completionReason: 'success', summary: outcome.message, artifacts: await artifactsOf(on, known.prepared), ...session } };
  }
  if (outcome.class === 'timeout') {
    const said = outcome.message === undefined ? 'It had said nothing.' : `It had said: ${outcome.message}`;
    const after = on.attempt.timeoutMs === undefined ? '' : ` after ${formatDuration(on.attempt.timeoutMs)}`;
    return { ok: true, value: { completionReason: 'timeout', summary: `The agent was stopped${after}. ${said}`, artifacts: [], ...session } };
  }
  return { ok: false, error: failureOfTurn(on, outcome, known.transcript) };
}

async function artifactsOf(on: Work, prepared: Prepared): Promise<string[]> {
  try {
    return await changedSince(prepared.before, treeRequest({ attempt: on.attempt, agents: on.scope.agents, directory: on.directory }));
  } catch (error) {
    throw unreadable(error, on.directory);
  }
}

function failureOfTurn(on: Work, outcome: Exclude<AgentOutcome, { readonly class: 'success' | 'timeout' }>, transcript: Transcript): StepFailure {
  const { plan, begun } = on;
  if (outcome.class === 'canceled') {
    return { code: 'canceled', text: `agent "${plan.name}" was stopped`, hint: 'Resume the run to let it go on.', completionReason: 'canceled', evidence: evidenceOf(plan, begun) };
  }
  const lost = outcome.class === 'lost';
  const failure: StepFailure = {
    code: lost ? 'crashed' : outcome.code,
    text: lost ? `agent "${plan.name}" was lost: ${outcome.text}` : `agent "${plan.name}" failed: ${outcome.text}`,
    ...(outcome.hint === undefined ? {} : { hint: outcome.hint }),
    evidence: {
      ...(outcome.evidence as JsonValue as object | undefined),
      ...evidenceOf(plan, begun),
      transcriptPath: transcript.file,
      ...(outcome.class === 'failed' && outcome.resetsAt !== undefined ? { resetsAt: outcome.resetsAt } : {}),
    },
  };
  const repeatedBefore = begun.iteration > 1 || begun.losses > 0;
  const exhausted = repeatedBefore && retryAgent(plan, failure) === undefined;
  return { ...failure, completionReason: exhausted ? 'retries_exhausted' : lost ? 'crashed' : 'worker_error' };
}

function warnAboutPermissions(plan: AgentPlan, agent: ResolvedAgent, attempt: AttemptContext): void {
  const asked = Object.keys(plan.permissions ?? {}).filter((key) => !agent.adapter.abilities.enforces.includes(key as never));
  if (asked.length > 0) attempt.warn('permissions_unenforced', `${agent.cli} cannot be held to ${asked.join(', ')} of agent "${plan.name}": recorded, not enforced`);
}

function interrupted(plan: AgentPlan, attempt: AttemptContext): FlowsError {
  return new FlowsError('crashed', `agent "${plan.name}" was at work when its process died, and its recoveryMode is 'manual'`, {
    hint: `Look at what it left in the directory, then run the flow again. Its transcript lies beside ${attempt.file('transcript.jsonl')}.`,
    completionReason: 'crashed',
  });
}
