import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import { fault } from '../faults/fault.js';
import type { LoadedFlow } from '../flow/loaded.js';
import type { CompletedRecord, GateVerdict, Outcome, StepRecord } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { Account } from './account.js';
import type { Budget } from './budget.js';
import { BodyScope, type ScopeHost } from './body-scope.js';
import { createContext } from './context.js';
import { Delivery, neverAwaited } from './delivery.js';
import { childOutcome } from './child-flow.js';
import { EffectRunner, type EffectEnd } from './effect-runner.js';
import { errorOf, failureOf, jsonOf } from './failure.js';
import { fingerprint } from './fingerprint.js';
import { checkGate, gateRequest, runGate } from './gate-runner.js';
import { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import { mismatch } from './mismatch.js';
import type { SessionFacts } from './services.js';
import type { Spend } from './spend.js';
import { judge, type Cause, type Verdict } from './verdict.js';
import { WaitKeeper } from './wait-keeper.js';

/** How a session came to rest. */
export type Rest =
  | { readonly type: 'finished'; readonly verdict: Verdict }
  | { readonly type: 'parked'; readonly wakeAt?: number; readonly heldStep?: string }
  | { readonly type: 'interrupted' }
  /** The journal was left as it was, or can no longer be written. */
  | { readonly type: 'failed'; readonly error: FlowsError };

export interface SessionOptions {
  readonly facts: SessionFacts;
  readonly flow: LoadedFlow;
  readonly input: JsonValue;
  readonly history: readonly StepRecord[];
  readonly budget: Budget | undefined;
  readonly chargedToday: () => Promise<number>;
  readonly release?: { readonly stepId: string; readonly decision: 'rerun' | 'fail' } | undefined;
  /** What the run was before this session, and is again when the session leaves the journal as it was. */
  readonly restStatus: { readonly status: 'parked' | 'interrupted'; readonly wakeAt?: number | undefined };
  /** Called once when history is used up. */
  readonly onLive?: () => Promise<void>;
  /** Stops every process of the run, wherever it went. */
  readonly sweep: () => Promise<void>;
}

/** How long a run whose steps all wait may still go on by itself (timers and files of the body), in milliseconds, before it parks. */
const PARK_GRACE_MS = 20;

interface Settled {
  readonly outcome: Outcome;
  readonly gate?: GateVerdict;
  readonly attempt: number;
  readonly spend?: Spend;
  readonly startedAt?: number;
  readonly endedAt: number;
  readonly exitCode?: number;
  /** The outcome is in the journal already, only its position is missing. */
  written: boolean;
}

/**
 * One claim of one run, from the call of its body to its rest. Composes the parts: scopes number steps, `Delivery` orders outcomes,
 * `EffectRunner` and `WaitKeeper` produce them, `judge` gives the verdict.
 *
 * Invariants:
 * 1. The body sees an outcome only after the journal has it.
 * 2. Once `#closing` is set nothing reaches the body and nothing new starts.
 * 3. A run that rests has no process left.
 */
export class RunSession {
  readonly ledger: Ledger;
  readonly account: Account;
  readonly #options: SessionOptions;
  readonly #delivery: Delivery;
  readonly #effects: EffectRunner;
  readonly #waits: WaitKeeper;
  readonly #steps = new Map<number, LiveStep>();
  readonly #settled = new Map<LiveStep, Settled>();
  readonly #work = new Set<Promise<void>>();
  readonly #scopes: BodyScope[] = [];
  #cause: Cause | undefined;
  #closing = false;
  #canceled = false;
  #heldStep: string | undefined;
  #spawned = false;
  #parkTimer: { cancel(): void } | undefined;
  #rest!: (rest: 'body_ended' | 'park' | 'interrupt' | 'cancel' | FlowsError) => void;
  readonly #resting: Promise<'body_ended' | 'park' | 'interrupt' | 'cancel' | FlowsError>;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.ledger = new Ledger(options.history);
    this.account = new Account(options.budget, options.chargedToday);
    for (const row of options.history) this.account.charge(row.spend ?? row.progress?.spend);
    const { facts } = options;
    this.#resting = new Promise((resolve) => {
      this.#rest = resolve;
    });
    this.#effects = new EffectRunner({ facts, account: this.account, ledger: this.ledger, release: options.release });
    this.#waits = new WaitKeeper({ facts, ledger: this.ledger, onOver: (step, value) => this.#waitOver(step, value) });
    this.#delivery = new Delivery({
      ledger: this.ledger,
      clock: facts.services.clock,
      stallMs: facts.services.replayStallMs,
      created: () => this.#steps.size,
      step: (seq) => this.#steps.get(seq),
      awaited: () => [...this.#steps.values()].filter(({ state }) => state === 'queued').map(({ id }) => id),
      replay: (step, row) => this.#replay(step, row),
      deliver: (step, position) => this.#deliver(step, position),
      onLive: (steps) => this.#goLive(steps),
      onIdle: () => this.#considerParking(),
      onFatal: (error) => this.#rest(error),
    });
  }

  /** Executes the body until the run rests. Never rejects. */
  async execute(): Promise<Rest> {
    try {
      const root = this.#openScope(this.#options.flow, '', 1);
      void this.#runBody(root, this.#options.input).then(() => this.#rest('body_ended'));
      this.#delivery.begin();
      const reason = await this.#resting;
      this.#close();
      if (reason === 'body_ended') return await this.#finish(root);
      if (reason === 'cancel') return await this.#finish(root);
      if (reason === 'park') return await this.#park();
      if (reason === 'interrupt') return await this.#interrupt();
      return await this.#abandon(reason);
    } catch (error) {
      return { type: 'failed', error: isFlowsError(error) ? error : new FlowsError('journal_protocol_violation', `the run could not go on: ${String(error)}`, { cause: error }) };
    }
  }

  cancel(): void {
    if (this.#closing) return;
    this.#canceled = true;
    this.#rest('cancel');
  }

  interrupt(): void {
    if (!this.#closing) this.#rest('interrupt');
  }

  /** Another owner has the run, or the journal is gone. */
  fail(error: FlowsError): void {
    this.#rest(error);
  }

  /** A rejection in the body that nobody handled. */
  noteUnhandled(reason: unknown): void {
    if (isFlowsError(reason) && this.#cause !== undefined) return;
    this.#fail({
      failure: {
        code: 'operation_callback_failed',
        text: `the body left a rejection unhandled: ${reason instanceof Error ? reason.message : String(reason)}`,
        hint: 'Await every promise the body makes, or handle its rejection.',
      },
    });
  }

  /** Somebody may have put a message into the mailbox. */
  async checkMailbox(): Promise<void> {
    if (this.#closing || !this.#delivery.live) return;
    await this.#waits.check();
  }

  recordProgress(): Promise<void> {
    return this.#closing ? Promise.resolve() : this.#effects.recordProgress();
  }

  // Bodies.

  #openScope(flow: LoadedFlow, prefix: string, depth: number): BodyScope {
    const host: ScopeHost = {
      register: (make) => this.#register(make),
      awaited: (step) => this.#awaited(step),
      checkGate,
      fail: (cause) => this.#fail(cause),
      warn: this.#options.facts.warn,
    };
    const scope = new BodyScope({ host, flow, prefix, depth });
    this.#scopes.push(scope);
    return scope;
  }

  /** Calls a body and waits for its end. Never rejects: what it throws is a cause. */
  async #runBody(scope: BodyScope, input: JsonValue): Promise<Cause | undefined> {
    const { facts } = this.#options;
    let thrown: Cause | undefined;
    try {
      const body = scope.flow.definition.body;
      if (body === undefined) {
        throw new FlowsError('unsupported_verb', `flow ${scope.flow.name} has only .on() handlers, which this runtime does not run`, { hint: 'Give flow() a body.' });
      }
      const context = createContext({ scope, facts, isReplaying: () => !this.#delivery.live });
      await body(context, input);
      if (scope.done !== undefined) {
        // One drain lets chains that only needed another microtask come to their end.
        await new Promise((resolve) => setImmediate(resolve));
        thrown = scope.inspectDerived();
      }
    } catch (error) {
      thrown = { failure: isFlowsError(error) ? failureOf(error) : bodyFailure(error), ...(isFlowsError(error) && error.stepId !== undefined ? { stepId: error.stepId } : {}) };
    }
    if (thrown !== undefined && !this.#closing) this.#fail(thrown);
    scope.end();
    return thrown;
  }

  #fail(cause: Cause): void {
    this.#cause ??= { ...cause, failure: this.#options.facts.services.redact.json(cause.failure as unknown as JsonValue) as unknown as Cause['failure'] };
  }

  // Steps.

  #register(make: (seq: number) => LiveStep): LiveStep {
    const step = make(this.#steps.size + 1);
    this.#steps.set(step.seq, step);
    const recorded = this.ledger.row(step.seq);
    if (recorded !== undefined && recorded.stepId !== step.id) {
      const error = mismatch({ recorded, step, request: step.spec.request });
      this.#rest(error);
      throw error;
    }
    this.#delivery.noticeProgress();
    return step;
  }

  #awaited(step: LiveStep): void {
    const { redact } = this.#options.facts.services;
    if (step.spec.request !== undefined) step.request = redact.json(step.spec.request);
    step.fingerprint = fingerprint({ kind: step.spec.kind, label: step.spec.label, request: step.request, gate: gateRequest(step.gate) });
    const recorded = this.ledger.row(step.seq);
    if (recorded !== undefined && recorded.fingerprint !== step.fingerprint) {
      this.#rest(mismatch({ recorded, step, request: step.request }));
      return;
    }
    if (this.#closing) return;
    // A child's body is part of the replay: it asks for its own steps' outcomes.
    if (step.spec.action.mode === 'child') this.#track(this.#runChild(step, step.spec.action));
    if (this.#delivery.live) this.#start(step);
    else this.#delivery.noticeProgress();
  }

  #goLive(replayed: number): void {
    if (replayed > 0) this.#options.facts.emit({ type: 'run.replayed', steps: replayed });
    if (this.#options.onLive !== undefined) this.#track(this.#options.onLive());
    for (const step of this.#steps.values()) if (step.state === 'queued') this.#start(step);
  }

  /** Makes a step happen. Only once history is used up. */
  #start(step: LiveStep): void {
    if (this.#closing) return;
    this.#parkTimer?.cancel();
    const recorded = this.ledger.row(step.seq);
    if (recorded?.outcome !== undefined) {
      this.#resumeSettled(step, recorded, recorded.outcome);
      return;
    }
    const { action } = step.spec;
    const { clock, ids } = this.#options.facts.services;
    if (action.mode === 'value') {
      const value = action.produce({ clock, ids });
      this.#settle(step, { outcome: { ok: true, value }, attempt: 1, endedAt: clock.now(), written: false });
    } else if (action.mode === 'effect') {
      step.state = 'running';
      this.#spawned = true;
      this.#track(this.#effects.run(step, action).then((end) => this.#effectEnded(step, end)));
    } else if (action.mode === 'wait') {
      step.state = 'waiting';
      this.#track(this.#waits.open(step).then(() => this.#considerParking()));
    }
  }

  /** Its outcome was durable before the crash, but had not reached the body; perhaps its gate has not been asked yet. */
  #resumeSettled(step: LiveStep, row: StepRecord, outcome: Outcome): void {
    const settled: Settled = {
      outcome, attempt: row.attempt, endedAt: row.endedAt ?? this.#options.facts.services.clock.now(), written: true,
      ...(row.gate === undefined ? {} : { gate: row.gate }), ...(row.spend === undefined ? {} : { spend: row.spend }), ...(row.startedAt === undefined ? {} : { startedAt: row.startedAt }),
    };
    this.#settle(step, settled);
  }

  #effectEnded(step: LiveStep, end: EffectEnd): void {
    if (end.type === 'held') {
      this.#heldStep = step.id;
      step.state = 'waiting';
      this.#considerParking();
    } else if (end.type === 'outcome') {
      const { type: _type, ...rest } = end;
      this.#settle(step, { ...rest, endedAt: this.#options.facts.services.clock.now(), written: false });
    }
  }

  #waitOver(step: LiveStep, payload: JsonValue | undefined): void {
    const value = step.spec.kind === 'human' ? (payload as { answer?: JsonValue } | undefined)?.answer ?? null : payload;
    const startedAt = this.ledger.row(step.seq)?.startedAt;
    this.#settle(step, {
      outcome: value === undefined ? { ok: true } : { ok: true, value }, attempt: 1, endedAt: this.#options.facts.services.clock.now(), written: false,
      ...(startedAt === undefined ? {} : { startedAt }),
    });
  }

  async #runChild(step: LiveStep, action: { readonly flowName: string; readonly input: JsonValue }): Promise<void> {
    const flow = step.scope.flow.children.get(action.flowName);
    if (flow === undefined) return; // The verb has checked it.
    const scope = this.#openScope(flow, `${step.id}--`, step.scope.depth + 1);
    const cause = await this.#runBody(scope, action.input);
    await this.#stopScope(scope);
    if (this.#closing || step.state === 'delivered') return;
    const outcome = childOutcome({ flowName: action.flowName, cause: cause ?? this.#cause, done: scope.done, unawaited: scope.unawaited });
    this.#settle(step, { outcome, attempt: 1, endedAt: this.#options.facts.services.clock.now(), written: false });
  }

  // Outcomes.

  #settle(step: LiveStep, settled: Settled): void {
    if (this.#closing) {
      this.#settled.set(step, settled);
      step.state = step.state === 'running' ? 'settled' : step.state;
      return;
    }
    // Replay hands the recorded outcome of a child over at its place.
    if (!this.#delivery.live && this.ledger.row(step.seq)?.position !== undefined) return;
    step.state = 'settled';
    this.#settled.set(step, settled);
    if (step.gate !== undefined && settled.gate === undefined && settled.outcome.ok) {
      this.#track(this.#gate(step, settled, settled.outcome.value));
      return;
    }
    // Somebody else's outcome is on its way to the body: this one is made durable while it waits for its turn.
    if (!this.#delivery.idle && !settled.written) this.#track(this.#write(step, settled));
    this.#delivery.enqueue(step);
  }

  async #gate(step: LiveStep, settled: Settled, value: JsonValue | undefined): Promise<void> {
    // The effect must not happen again because its gate was interrupted.
    if (!settled.written) await this.#write(step, settled);
    this.#spawned = true;
    const gate = await runGate({ step, value: value === undefined ? null : this.#redacted(value), facts: this.#options.facts, input: this.#options.input });
    if (gate === 'stopped') return;
    this.#settle(step, { ...settled, gate, written: true });
  }

  #write(step: LiveStep, settled: Settled): Promise<void> {
    const record = this.#record(step, settled);
    settled.written = true;
    return this.#options.facts.services.writer.completed(this.#options.facts.claim.runId, () => record).then(() => this.ledger.noteCompleted(record));
  }

  #record(step: LiveStep, settled: Settled): CompletedRecord {
    const { claim } = this.#options.facts;
    return {
      runId: claim.runId, epoch: claim.epoch, seq: step.seq, stepId: step.id, kind: step.spec.kind, fingerprint: step.fingerprint, attempt: settled.attempt,
      endedAt: settled.endedAt, outcome: this.#redactedOutcome(settled.outcome),
      ...(step.spec.label === undefined ? {} : { label: step.spec.label }),
      ...(step.request === undefined ? {} : { request: step.request }),
      ...(settled.startedAt === undefined ? {} : { startedAt: settled.startedAt }),
      ...(settled.gate === undefined ? {} : { gate: settled.gate }),
      ...(settled.spend === undefined ? {} : { spend: settled.spend }),
    };
  }

  #redactedOutcome(outcome: Outcome): Outcome {
    const { redact } = this.#options.facts.services;
    if (!outcome.ok) return { ok: false, error: redact.json(outcome.error as unknown as JsonValue) as unknown as typeof outcome.error };
    return outcome.value === undefined ? outcome : { ok: true, value: this.#redacted(outcome.value) };
  }

  #redacted(value: JsonValue): JsonValue {
    return this.#options.facts.services.redact.json(value);
  }

  async #deliver(step: LiveStep, position: number): Promise<void> {
    const settled = this.#settled.get(step);
    if (settled === undefined) throw new FlowsError('journal_protocol_violation', `${step.id} was to be delivered without an outcome`);
    let record = this.#record(step, settled);
    await this.#options.facts.services.writer.completed(record.runId, () => {
      // What the body has created by now is what a replay must wait for; it is read at the commit, after which the body gets the outcome at once.
      record = { ...record, position, created: this.#steps.size };
      if (!settled.written) return record;
      const { outcome: _outcome, request: _request, ...rest } = record;
      return rest;
    });
    this.ledger.noteCompleted(record);
    this.#settled.delete(step);
    this.#announce(step, record, settled.exitCode);
    this.#hand(step, record.outcome ?? settled.outcome, record.gate);
  }

  #replay(step: LiveStep, row: StepRecord): void {
    if (row.outcome === undefined) throw new FlowsError('journal_protocol_violation', `${row.stepId} has a position but no outcome`);
    this.#hand(step, row.outcome, row.gate);
  }

  #hand(step: LiveStep, outcome: Outcome, gate: GateVerdict | undefined): void {
    step.state = 'delivered';
    const failure = !outcome.ok ? outcome.error : gate?.passed === false ? gate.error : undefined;
    if (failure !== undefined) {
      this.#fail({ failure, stepId: step.id });
      step.reject(errorOf(failure, { runId: this.#options.facts.run.runId, stepId: step.id }));
    } else {
      step.resolve(outcome.ok ? outcome.value : undefined);
    }
  }

  #announce(step: LiveStep, record: CompletedRecord, exitCode: number | undefined): void {
    const { outcome, gate } = record;
    const error = outcome?.ok === false ? outcome.error : gate?.error;
    this.#options.facts.emit({
      type: 'step.completed', stepId: step.id, kind: step.spec.kind, ok: error === undefined,
      durationMs: Math.max(0, (record.endedAt ?? 0) - (record.startedAt ?? record.endedAt ?? 0)),
      ...(step.spec.label === undefined ? {} : { label: step.spec.label }), ...(record.spend === undefined ? {} : { spend: record.spend }),
      ...(error === undefined ? {} : { error }), ...(exitCode === undefined ? {} : { exitCode }),
    });
  }

  // Rest.

  /** Parks when nothing is going on but waiting, and nothing begins within a moment. */
  #considerParking(): void {
    this.#parkTimer?.cancel();
    if (!this.#mayPark()) return;
    const { clock, parkAfterMs } = this.#options.facts.services;
    const wakeAt = this.#waits.wakeAt;
    const waitsForOthers = this.#waits.awaitingSignals.length > 0 || this.#heldStep !== undefined;
    if (!waitsForOthers && (wakeAt === undefined || wakeAt - clock.now() <= parkAfterMs)) return;
    this.#parkTimer = clock.setTimer(PARK_GRACE_MS, () => {
      if (this.#mayPark()) this.#rest('park');
    });
  }

  #mayPark(): boolean {
    if (this.#closing || !this.#delivery.live || !this.#delivery.idle || this.#effects.running.length > 0) return false;
    let waiting = false;
    for (const step of this.#steps.values()) {
      if (step.scope.ended) continue;
      if (step.state === 'waiting') waiting = true;
      else if ((step.state === 'queued' && step.spec.action.mode !== 'child') || step.state === 'running' || step.state === 'settled') return false;
    }
    return waiting;
  }

  #close(): void {
    this.#closing = true;
    this.#parkTimer?.cancel();
    this.#delivery.close();
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => this.#rest(isFlowsError(error) ? error : new FlowsError('journal_protocol_violation', `the run could not go on: ${String(error)}`, { cause: error })))
      .finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** Ends a body's steps that nobody waits for any more, and waits until their processes are gone. */
  async #stopScope(scope: BodyScope): Promise<void> {
    const running = scope.steps.filter(({ state }) => state === 'running');
    for (const step of running) step.stop.abort();
    await Promise.all(running.map((step) => this.#ended(step)));
  }

  async #ended(step: LiveStep): Promise<void> {
    while (this.#effects.running.includes(step)) await Promise.race([...this.#work, new Promise((resolve) => setTimeout(resolve, 50))]);
  }

  async #stopEverything(): Promise<readonly LiveStep[]> {
    const running = [...this.#steps.values()].filter(({ state }) => state === 'running' || state === 'settled');
    for (const step of running) step.stop.abort();
    this.#waits.close();
    await Promise.all(this.#work);
    if (this.#spawned) await this.#options.sweep();
    return running;
  }

  async #finish(root: BodyScope): Promise<Rest> {
    const owed = this.#delivery.owed;
    if (!this.#canceled && !this.#delivery.live && owed[0] !== undefined) return this.#abandon(neverAwaited(owed[0], []));
    const { facts } = this.#options;
    const stopped = await this.#stopEverything();
    const abandoned = stopped.filter((step) => !this.#settled.has(step) && step.state === 'running');
    for (const step of abandoned) {
      if (!this.#canceled) facts.warn('step_abandoned', `${step.id} was still running when the body ended and was stopped`, step.id);
    }
    await Promise.all([...this.#steps.values()].map((step) => this.#recordUndelivered(step)));
    const verdict = judge({ canceled: this.#canceled, cause: this.#cause, done: root.done, unawaited: root.unawaited });
    fault('executor.finish.before');
    await facts.services.journal.finish({ runId: facts.claim.runId, epoch: facts.claim.epoch, status: verdict.status, completion: verdict.completion, at: facts.services.clock.now() });
    fault('executor.finish.after');
    return { type: 'finished', verdict };
  }

  /** A step that began and will never reach the body leaves a record of how it ended. */
  async #recordUndelivered(step: LiveStep): Promise<void> {
    const settled = this.#settled.get(step);
    if (settled !== undefined) {
      if (!settled.written) await this.#write(step, settled);
      return;
    }
    if (step.state !== 'running' && step.state !== 'waiting') return;
    const row = this.ledger.row(step.seq);
    const spend = row?.spend ?? row?.progress?.spend;
    await this.#write(step, {
      outcome: { ok: false, error: { code: 'canceled', text: `${step.id} was stopped because its run ended`, completionReason: 'canceled' } },
      attempt: row?.attempt ?? 1, endedAt: this.#options.facts.services.clock.now(), written: false,
      ...(row?.startedAt === undefined ? {} : { startedAt: row.startedAt }), ...(spend === undefined ? {} : { spend }),
    });
  }

  async #park(): Promise<Rest> {
    const wakeAt = this.#waits.wakeAt;
    await this.#stopEverything();
    await this.#release('parked', wakeAt);
    fault('executor.parked');
    return { type: 'parked', ...(wakeAt === undefined ? {} : { wakeAt }), ...(this.#heldStep === undefined ? {} : { heldStep: this.#heldStep }) };
  }

  async #interrupt(): Promise<Rest> {
    await this.#stopEverything();
    // What was finished meanwhile must not be done again.
    await Promise.all([...this.#settled].filter(([, settled]) => !settled.written).map(([step, settled]) => this.#write(step, settled)));
    await this.#release('interrupted', undefined);
    return { type: 'interrupted' };
  }

  /** Leaves the journal as it is. */
  async #abandon(error: FlowsError): Promise<Rest> {
    await this.#stopEverything();
    if (error.code !== 'stale_owner') {
      const { status, wakeAt } = this.#options.restStatus;
      // The first error is what counts; a journal that cannot be written keeps the claim, which the end of this process releases.
      await this.#release(status, wakeAt).catch(() => undefined);
    }
    return { type: 'failed', error };
  }

  #release(status: 'parked' | 'interrupted', wakeAt: number | undefined): Promise<void> {
    const { claim, services } = this.#options.facts;
    return services.journal.park({ runId: claim.runId, epoch: claim.epoch, status, at: services.clock.now(), ...(wakeAt === undefined ? {} : { wakeAt }) });
  }
}

function bodyFailure(error: unknown) {
  const text = error instanceof Error ? (error.message === '' ? error.name : `${error.name}: ${error.message}`) : `the body threw ${String(error)}`;
  const stack = error instanceof Error ? error.stack?.split('\n').slice(1, 4).map((line) => line.trim()) : undefined;
  return {
    code: 'body_failed',
    text,
    hint: 'Mend the flow and start a new run, or resume this one with --current-source if its steps stay the same.',
    ...(stack === undefined ? {} : { evidence: jsonOf({ stack }) }),
  };
}
