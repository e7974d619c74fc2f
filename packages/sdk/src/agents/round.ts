import type { StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import type { AttemptContext, AttemptResult } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';
import { charge } from './charge.js';
import { instruction, type AgentNotes, type Beginning } from './continuation.js';
import { executeTurn } from './execute-turn.js';
import type { AgentPlan } from './options.js';
import { beginGuard, endGuard, type Guarded } from './permissions/guard.js';
import { dropHeld } from './permissions/held.js';
import type { WriteRule } from './permissions/rule.js';
import type { Finding } from './permissions/verify.js';
import type { AgentRequest, AgentTurn } from './port.js';
import type { Prepared } from './prepare.js';
import type { ResolvedAgent } from './services.js';
import { settleTurn } from './settle.js';
import type { DirectoryOfStep } from './step-place.js';
import type { TranscriptFile } from './transcript.js';
import { turnRequest } from './turn-request.js';

/** What one attempt of an agent step works with. */
export interface Work extends DirectoryOfStep {
  readonly scope: VerbScope;
  readonly plan: AgentPlan;
  readonly attempt: AttemptContext;
  readonly agent: ResolvedAgent;
  /** Absent when the agent may write everything. */
  readonly rule: WriteRule | undefined;
  readonly transcript: TranscriptFile;
  /** The number of the step's turn in its directory. */
  readonly turn: number;
}

export interface RoundRequest {
  readonly begun: Beginning;
  readonly notes: AgentNotes | undefined;
  /** The end of the transcript of what happened before. */
  readonly tail: string;
  /** Milliseconds that an earlier turn of this attempt took. */
  readonly usedMs: number;
}

/** One turn, with everything around it. */
export interface Round {
  readonly turn: AgentTurn;
  readonly sessionId: string | undefined;
  readonly prepared: Prepared;
  readonly notes: AgentNotes;
  readonly spend: NonNullable<AttemptResult['spend']>;
  /** A success that cannot be charged. */
  readonly refusal?: StepFailure;
  /** What it did against its permissions; absent when it may write everything. */
  readonly finding?: Finding;
  /** The check of what it may write could not be made. */
  readonly unverified?: unknown;
  readonly tookMs: number;
}

/** Prepares the directory, lets the agent take a turn, holds it to its permissions, and charges it. */
export async function takeRound(work: Work, request: RoundRequest): Promise<Round> {
  const { plan, attempt, rule, scope, agent } = work;
  const { begun } = request;
  const prepared = await scope.agents.disk.prepareDirectory({ ...work, begun, notes: request.notes });
  const guarded: Guarded | undefined = rule === undefined ? undefined : { ...work, rule, agent: plan.name };
  const held = guarded === undefined ? undefined : await beginGuard(guarded);
  const task = instruction({ kind: begun.kind, task: plan.task, transcript: request.tail, directory: prepared.state });
  const began = attempt.clock.monotonic();
  const { turn, sessionId, notes } = await takeTurn(work, { ...request, task, notes: { ...startOf(begun), transcript: work.transcript.file, ...prepared.notes, ...(held === undefined ? {} : { held: held.folder }) } });
  const tookMs = attempt.clock.monotonic() - began;
  const settled = settleTurn({ scope, attempt, turn, model: agent.model, agent: `Agent "${plan.name}"` });
  const round = { turn, sessionId, prepared, notes, ...settled, tookMs };
  if (guarded === undefined || held === undefined) return round;
  try {
    const finding = await endGuard(guarded, held, 'one');
    await dropHeld(held.folder);
    const { held: _held, ...checked } = notes;
    attempt.progress({ extra: checked as unknown as JsonValue });
    return { ...round, notes: checked, finding };
  } catch (error) {
    return { ...round, unverified: error };
  }
}

function startOf(begun: Beginning): Pick<AgentNotes, 'iteration' | 'losses' | 'sessionSeen'> {
  return { iteration: begun.iteration, losses: begun.losses, ...(begun.kind === 'continue' ? { sessionSeen: true } : {}) };
}

/** Lets the agent work, and records what must be known if this process dies meanwhile. */
async function takeTurn(work: Work, told: RoundRequest & { readonly task: string; readonly notes: AgentNotes }): Promise<{ readonly turn: AgentTurn; readonly sessionId: string | undefined; readonly notes: AgentNotes }> {
  const { attempt, agent, scope, plan, transcript, directory } = work;
  const { begun, usedMs } = told;
  let { notes } = told;
  const session: AgentRequest['session'] =
    begun.resume !== undefined ? { kind: 'resume', id: begun.resume }
    : agent.adapter.abilities.choosesSessionId ? { kind: 'new', id: attempt.ids.uuid() }
    : undefined;
  let sessionId = session?.id;
  attempt.progress({ extra: notes as unknown as JsonValue, ...(sessionId === undefined ? {} : { sessionId }) });
  transcript.addTask(told.task);
  let { model } = agent;
  const noting: Promise<void>[] = [];

  const turn = await executeTurn(agent, {
    ...turnRequest({ scope, attempt, agent }),
    mode: 'agent',
    task: told.task,
    cwd: directory,
    ...(session === undefined ? {} : { session }),
    ...(plan.permissions === undefined ? {} : { permissions: plan.permissions }),
    ...(attempt.timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, Math.round(attempt.timeoutMs - usedMs)) }),
    onEvent: (event) => {
      if (event.type === 'session') {
        sessionId = event.sessionId;
        notes = { ...notes, sessionSeen: true };
        attempt.progress({ sessionId, extra: notes as unknown as JsonValue });
        noting.push(scope.agents.disk.noteSession(attempt.run, { id: sessionId, directory }));
      }
      if (event.type === 'model') model ??= event.model;
      if (event.type === 'usage') attempt.progress({ spend: { wallclock: 0, ...charge({ usage: event, price: model === undefined ? undefined : scope.agents.priceOf(model) }) } });
      const redacted = attempt.redact.json(event);
      transcript.add(redacted);
      attempt.agent(redacted);
    },
  });
  await Promise.all(noting);
  return { turn, sessionId: turn.sessionId ?? sessionId, notes };
}
