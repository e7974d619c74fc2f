import { FlowsError } from '../errors/flows-error.js';
import { fault } from '../faults/fault.js';
import type { StepFailure, StepRecord } from '../journal/port.js';
import type { Clock, Timer } from '../ports/clock.js';
import type { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';

export interface DeliveryOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly stallMs: number;
  /** Calls back in a later turn of the event loop. */
  readonly turn: (callback: () => void) => void;
  /** How many steps the run has created by now. */
  readonly created: () => number;
  readonly step: (seq: number) => LiveStep | undefined;
  /** Steps that the body waits for, for messages. */
  readonly awaited: () => readonly string[];
  /** Hands a recorded outcome to the body. */
  readonly replay: (step: LiveStep, row: StepRecord) => void;
  /** Writes the outcome of a settled step with its position. Answers with what hands it to the body. */
  readonly deliver: (step: LiveStep, position: number) => Promise<() => void>;
  /** History is used up. */
  readonly onLive: (replayed: number) => void;
  /** Nothing is left to deliver at the moment. */
  readonly onIdle: () => void;
  readonly onFatal: (error: FlowsError) => void;
}

/**
 * The order in which outcomes reach the body of one run.
 *
 * THE DETERMINISM BOUNDARY. Whatever a body does with promises, it creates the same steps in the same order when it is executed again, because:
 * 1. Outcomes are handed over one at a time, in replay in the recorded order and live in the order that is being recorded.
 * 2. After each one the microtask queue drains (one turn of the event loop) before the next, in replay and live alike.
 * 3. In replay an outcome waits until its step is awaited and as many steps exist as when it was recorded, so that timers and files a body
 *    waits for on its own cannot change the order. A body that creates nothing more for `stallMs` does not repeat its history.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #queue: LiveStep[] = [];
  #next = 0;
  #live = false;
  /** An outcome is on its way, or what it caused is draining; true until `begin`, so that nothing is handed over twice in one turn. */
  #busy = true;
  #closed = false;
  #stall: Timer | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  get live(): boolean {
    return this.#live;
  }

  /** Whether outcomes are on their way to the body. */
  get idle(): boolean {
    return !this.#busy && this.#queue.length === 0;
  }

  /** Rows of history that have not been handed back. */
  get owed(): readonly StepRecord[] {
    return this.#options.ledger.delivered.slice(this.#next);
  }

  /**
   * Whether the body does again what it did before, as far as the journal knows: it has not been given all of its history, or the step that comes next
   * had begun. After the last outcome it may have died before it said anything.
   */
  get repeats(): boolean {
    const { ledger, created } = this.#options;
    return !this.#live && (this.#next < ledger.delivered.length || ledger.row(created() + 1) !== undefined);
  }

  /** Begins after the body has been called. */
  begin(): void {
    this.#drainThenPump();
  }

  /** A step was created or awaited: an outcome that waited for it may be due. */
  noticeProgress(): void {
    if (this.#live || this.#busy || this.#closed) return;
    this.#drainThenPump();
  }

  /** The outcome of a step is known. */
  enqueue(step: LiveStep): void {
    this.#queue.push(step);
    if (this.#live && !this.#busy && !this.#closed) void this.#pump();
  }

  /** Nothing reaches the body any more. */
  close(): void {
    this.#closed = true;
    this.#stall?.cancel();
  }

  /** One turn of the event loop: every microtask that the last delivery caused has run by then. */
  #drainThenPump(): void {
    this.#busy = true;
    this.#options.turn(() => {
      this.#busy = false;
      if (!this.#closed) void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    if (!this.#live) {
      this.#replayNext();
      return;
    }
    let step = this.#queue.shift();
    // A step whose body has ended is not waited for by anybody.
    while (step !== undefined && step.scope.ended) step = this.#queue.shift();
    if (step === undefined) {
      this.#options.onIdle();
      return;
    }
    this.#busy = true;
    this.#next += 1;
    try {
      const hand = await this.#options.deliver(step, this.#next);
      // The run came to rest during the commit. The next session hands it over.
      if (this.#closed) return;
      hand();
    } catch (error) {
      this.#closed = true;
      this.#options.onFatal(error as FlowsError);
      return;
    }
    fault('executor.delivered');
    this.#drainThenPump();
  }

  #replayNext(): void {
    const row = this.#options.ledger.delivered[this.#next];
    if (row === undefined) {
      this.#stall?.cancel();
      this.#live = true;
      this.#options.onLive(this.#next);
      if (this.#queue.length > 0 && !this.#busy) void this.#pump();
      return;
    }
    const step = this.#options.step(row.seq);
    if (step === undefined || step.state !== 'queued' || this.#options.created() < (row.created ?? 0)) {
      this.#awaitProgress(row);
      return;
    }
    this.#stall?.cancel();
    this.#stall = undefined;
    this.#next += 1;
    this.#options.replay(step, row);
    this.#drainThenPump();
  }

  #awaitProgress(row: StepRecord): void {
    this.#stall?.cancel();
    this.#stall = this.#options.clock.setTimer(this.#options.stallMs, () => {
      this.#closed = true;
      this.#options.onFatal(neverAwaited(row, this.#options.awaited()));
    });
  }
}

/** A recorded outcome whose step the body does not ask for. */
export function neverAwaited(row: StepRecord, awaited: readonly string[], cause?: StepFailure): FlowsError {
  const failed = cause === undefined ? '' : ` It failed before that with ${cause.code}: ${cause.text}`;
  return new FlowsError('replay_mismatch', `The journal holds an outcome of ${row.stepId}, which the body did not ask for when it was executed again.${failed}`, {
    hint: awaited.length === 0
      ? 'The body must create the same steps in the same order every time: read time, chance and files through steps.'
      : `The body waits for ${awaited.join(', ')}. It must create the same steps in the same order every time: read time, chance and files through steps.`,
    stepId: row.stepId,
    evidence: { recorded: { stepId: row.stepId, kind: row.kind, request: row.request ?? null, position: row.position ?? null, created: row.created ?? null }, awaited: [...awaited], ...(cause === undefined ? {} : { cause }) },
  });
}
