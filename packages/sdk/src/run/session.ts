import { isFlowsError, type FlowsError } from '../errors/flows-error.js';
import type { LoadedFlow } from '../flow/loaded.js';
import type { StepRecord } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { Account } from './account.js';
import { runBody } from './body-runner.js';
import { BodyScope, type BodyFacts, type ScopeHost } from './body-scope.js';
import type { Budget } from './budget.js';
import { Children } from './children.js';
import { Delivery, neverAwaited } from './delivery.js';
import { EffectRunner } from './effect-runner.js';
import { internalFailure } from './failure.js';
import { fingerprint } from './fingerprint.js';
import { checkGate, gateRequest } from './gate-runner.js';
import { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import { mismatch } from './mismatch.js';
import { failureIn, Outcomes } from './outcomes.js';
import { Parking } from './parking.js';
import { Resting, type Rest, type RestStatus } from './resting.js';
import type { SessionFacts } from './services.js';
import { Starter } from './starter.js';
import { judge, type Cause } from './verdict.js';
import { WaitKeeper } from './wait-keeper.js';

export interface SessionOptions {
  readonly facts: SessionFacts;
  readonly flow: LoadedFlow;
  readonly input: JsonValue;
  readonly history: readonly StepRecord[];
  readonly budget: Budget | undefined;
  readonly chargedToday: () => Promise<number>;
  readonly release?: { readonly stepId: string; readonly decision: 'rerun' | 'fail' } | undefined;
  readonly restStatus: RestStatus;
  /** Called once when history is used up. */
  readonly onLive?: () => Promise<void>;
  /** Stops every process of the run, wherever it went. */
  readonly sweep: () => Promise<void>;
}

type RestReason = 'body_ended' | 'park' | 'interrupt' | 'cancel' | { readonly continueAs: JsonValue } | FlowsError;

/**
 * One claim of one run, from the call of its body to its rest. Composes the parts: scopes number steps, `Starter` makes them happen, `Outcomes`
 * records and `Delivery` orders what came of them, `judge` gives the verdict.
 *
 * Invariants:
 * 1. The body sees an outcome only after the journal has it.
 * 2. Once `#closing` is set nothing reaches the body and nothing new starts.
 * 3. A run that rests has no process left.
 */
export class RunSession {
  readonly ledger: Ledger;
  readonly #options: Omit<SessionOptions, 'history'>;
  readonly #delivery: Delivery;
  readonly #effects: EffectRunner;
  readonly #waits: WaitKeeper;
  readonly #outcomes: Outcomes;
  readonly #resting: Resting;
  readonly #parking: Parking;
  readonly #children: Children;
  readonly #starter: Starter;
  /** Steps that have not reached the body yet. */
  readonly #steps = new Map<number, LiveStep>();
  /** How many steps the run has created. */
  #created = 0;
  /** What is going on beside the body; each rejection ends the session. */
  readonly #work = new Set<Promise<void>>();
  #cause: Cause | undefined;
  #closing = false;
  #canceled = false;
  #rest!: (reason: RestReason) => void;
  readonly #reason = new Promise<RestReason>((resolve) => {
    this.#rest = resolve;
  });

  constructor(options: SessionOptions) {
    // What history holds is let go of as it is handed back.
    const { history, ...rest } = options;
    this.#options = rest;
    const { facts } = rest;
    this.ledger = new Ledger(history);
    const account = new Account(options.budget, options.chargedToday);
    for (const row of history) account.charge(row.spend ?? row.progress?.spend);
    const created = (): number => this.#created;
    this.#effects = new EffectRunner({ facts, account, ledger: this.ledger, release: options.release });
    this.#waits = new WaitKeeper({ facts, ledger: this.ledger, onOver: (step, value) => this.#starter.waitOver(step, value) });
    this.#outcomes = new Outcomes({ facts, ledger: this.ledger, created, onFailure: (cause) => this.#fail(cause), onHanded: (step) => this.#forget(step) });
    this.#delivery = new Delivery({
      ledger: this.ledger,
      clock: facts.services.clock, turn: facts.services.machine.turn,
      stallMs: facts.services.replayStallMs,
      created,
      step: (seq) => this.#steps.get(seq),
      awaited: () => [...this.#steps.values()].filter(({ state }) => state === 'queued').map(({ id }) => id),
      replay: (step, row) => this.#outcomes.replay(step, row),
      deliver: (step, position) => this.#outcomes.deliver(step, position),
      onLive: (steps) => this.#goLive(steps),
      onIdle: () => this.#parking.consider(this.#starter.heldStep),
      onFatal: (error) => this.#rest(error),
    });
    this.#starter = new Starter({
      facts, account, ledger: this.ledger, effects: this.#effects, outcomes: this.#outcomes,
      delivery: () => this.#delivery, waits: () => this.#waits, closing: () => this.#closing, track: (work) => this.#track(work),
      onWaiting: () => this.#parking.consider(this.#starter.heldStep),
    });
    this.#parking = new Parking({
      clock: facts.services.clock, parkAfterMs: facts.services.parkAfterMs, staying: facts.services.staying, waits: this.#waits, steps: this.#steps,
      busy: () => this.#closing || !this.#delivery.live || !this.#delivery.idle || this.#effects.running.length > 0,
      onPark: () => this.#rest('park'),
    });
    this.#children = new Children({
      ledger: this.ledger, effects: this.#effects, outcomes: this.#outcomes, waits: this.#waits, starter: this.#starter, now: () => facts.services.clock.now(),
      closing: () => this.#closing, openScope: (body) => this.#openScope(body), runBody: (scope) => this.#runBody(scope),
      track: (work) => this.#track(work), forget: (step) => this.#forget(step),
    });
    this.#resting = new Resting({
      facts, ledger: this.ledger, outcomes: this.#outcomes, waits: this.#waits, steps: this.#steps, work: this.#work,
      spawned: () => this.#starter.spawned, restStatus: options.restStatus, sweep: options.sweep,
    });
  }

  /** Executes the body until the run rests. Never rejects. */
  async execute(): Promise<Rest> {
    try {
      const root = this.#openScope({ flow: this.#options.flow, input: this.#options.input, prefix: '', depth: 1 });
      void this.#runBody(root).then(() => this.#rest('body_ended'));
      this.#delivery.begin();
      const reason = await this.#reason;
      this.#closing = true;
      this.#parking.cancel();
      this.#delivery.close();
      if (reason === 'park') return await this.#resting.park(this.#starter.heldStep);
      if (reason === 'interrupt') return await this.#resting.interrupt();
      const error = isFlowsError(reason) ? reason : reason !== 'cancel' && !this.#delivery.live ? this.#endedEarly() : undefined;
      if (error !== undefined) return await this.#resting.abandon(error);
      if (typeof reason === 'object' && 'continueAs' in reason) return await this.#resting.continueAs(reason.continueAs);
      return await this.#resting.finish(() => judge({ canceled: this.#canceled, cause: this.#cause, done: root.done, unawaited: root.unawaited }));
    } catch (error) {
      return { type: 'failed', error: internalFailure(error) };
    }
  }

  /**
   * The body ended before it was given all of its history. Outcomes that it awaited and then did not wait for, such as those of lost races, had reached
   * it while it was ending; any other is one that it did not ask for this time.
   */
  #endedEarly(): FlowsError | undefined {
    const { owed } = this.#delivery;
    const missing = owed.find(({ seq }) => this.#steps.get(seq)?.state !== 'queued');
    if (missing !== undefined) return neverAwaited(missing, [], this.#cause?.failure);
    for (const row of owed) {
      const failure = failureIn(row);
      if (failure !== undefined && row.kind !== 'external') this.#fail({ failure, stepId: row.stepId });
    }
    return undefined;
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
  readonly fail = (error: FlowsError): void => this.#rest(error);

  /** A rejection in the body that nobody handled. */
  noteUnhandled(reason: unknown): void {
    if (isFlowsError(reason) && this.#cause !== undefined) return;
    this.#fail({
      failure: {
        code: 'operation_callback_failed',
        text: `The body left a rejection unhandled: ${reason instanceof Error ? reason.message : String(reason)}`,
        hint: 'Await every promise the body makes, or handle its rejection.',
      },
    });
  }

  /** The process has nothing left to do, so whatever the body still waits for will not happen. */
  noteStuck(): void {
    if (this.#closing) return;
    this.#fail({
      failure: {
        code: 'body_failed',
        text: 'The body waits for something that will never happen: no step is going on, and the process has nothing else to do.',
        hint: 'Look for a promise that nobody settles.',
      },
    });
    this.#rest('body_ended');
  }

  /** Somebody may have put a message into the mailbox. */
  async checkMailbox(): Promise<void> {
    if (this.#closing || !this.#delivery.live) return;
    const checking = this.#waits.check();
    // The run does not come to rest meanwhile; whoever asked for the check is told of its failure.
    this.#track(checking.catch(() => undefined));
    await checking;
  }

  async recordProgress(): Promise<void> {
    if (!this.#closing) await this.#effects.recordProgress();
  }

  // Bodies.

  #openScope(body: BodyFacts): BodyScope {
    const host: ScopeHost = {
      runId: this.#options.facts.run.runId,
      register: (make) => this.#register(make),
      awaited: (step) => this.#awaited(step),
      checkGate,
      continueAs: (input) => this.#rest({ continueAs: input }),
      fail: (cause) => this.#fail(cause),
    };
    return new BodyScope({ host, ...body });
  }

  async #runBody(scope: BodyScope): Promise<Cause | undefined> {
    const cause = await runBody({ scope, facts: this.#options.facts, isReplaying: () => this.#delivery.repeats });
    // A child that ended with its parent has nothing to say any more.
    if (cause !== undefined && !this.#closing && !scope.ended) this.#fail(cause);
    scope.end();
    return cause;
  }

  /** The first cause is what a report shows. */
  #fail(cause: Cause): void {
    const { redact } = this.#options.facts.services;
    this.#cause ??= { ...cause, failure: redact.json(cause.failure as unknown as JsonValue) as unknown as Cause['failure'] };
  }

  // Steps.

  #register(make: (seq: number) => LiveStep): LiveStep {
    this.#created += 1;
    const step = make(this.#created);
    this.#steps.set(step.seq, step);
    const recorded = this.ledger.row(step.seq);
    if (recorded !== undefined && recorded.stepId !== step.id) {
      this.#describe(step);
      const error = mismatch({ recorded, step });
      this.#rest(error);
      throw error;
    }
    this.#delivery.noticeProgress();
    return step;
  }

  /** The body has its outcome: nothing about it needs to stay in memory but its row. */
  #forget(step: LiveStep): void {
    this.#steps.delete(step.seq);
    step.scope.steps.delete(step);
  }

  #awaited(step: LiveStep): void {
    this.#describe(step);
    step.fingerprint = fingerprint({ kind: step.spec.kind, label: step.label, request: step.request, gate: gateRequest(step.gate) });
    const recorded = this.ledger.row(step.seq);
    if (recorded !== undefined && recorded.fingerprint !== step.fingerprint) {
      this.#rest(mismatch({ recorded, step }));
      return;
    }
    if (this.#closing) return;
    // A child's body is part of the replay: it asks for its own steps' outcomes.
    if (step.spec.action.mode === 'child') this.#children.begin(step, step.spec.action.flowName);
    if (this.#delivery.live) this.#start(step);
    else this.#delivery.noticeProgress();
  }

  /** What a step is called and asked for, in the form that may be recorded and shown. */
  #describe(step: LiveStep): void {
    const { redact } = this.#options.facts.services;
    if (step.spec.request !== undefined) step.request = redact.json(step.spec.request);
    if (step.spec.label !== undefined) step.label = redact.text(step.spec.label);
  }

  #goLive(replayed: number): void {
    if (replayed > 0) this.#options.facts.emit({ type: 'run.replayed', steps: replayed });
    if (this.#options.onLive !== undefined) this.#track(this.#options.onLive());
    for (const step of this.#steps.values()) if (step.state === 'queued') this.#start(step);
  }

  #start(step: LiveStep): void {
    if (this.#closing) return;
    this.#parking.cancel();
    this.#starter.start(step);
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.catch((error: unknown) => this.#rest(internalFailure(error))).finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }
}
