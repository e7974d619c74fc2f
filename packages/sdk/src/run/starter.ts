import type { Outcome, StepRecord } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import type { Account } from './account.js';
import type { Delivery } from './delivery.js';
import type { EffectEnd, EffectRunner } from './effect-runner.js';
import { runGate } from './gate-runner.js';
import type { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import type { Outcomes, Settled } from './outcomes.js';
import type { SessionFacts } from './services.js';
import { addSpend, NOTHING_SPENT, type Spend } from './spend.js';
import type { WaitKeeper } from './wait-keeper.js';

export interface StarterOptions {
  readonly facts: SessionFacts;
  readonly ledger: Ledger;
  readonly account: Account;
  readonly effects: EffectRunner;
  readonly outcomes: Outcomes;
  readonly delivery: () => Delivery;
  readonly waits: () => WaitKeeper;
  /** Nothing starts and nothing is handed over any more. */
  readonly closing: () => boolean;
  /** Follows work that goes on beside the body. */
  readonly track: (work: Promise<void>) => void;
  /** A wait began, or a step is held for a person. */
  readonly onWaiting: () => void;
}

/** Makes steps happen, and brings what came of them on its way: to the gate, to the journal, to the body. */
export class Starter {
  readonly #options: StarterOptions;
  #spawned = false;
  #heldStep: string | undefined;

  constructor(options: StarterOptions) {
    this.#options = options;
  }

  /** Whether something was started that may have left processes. */
  get spawned(): boolean {
    return this.#spawned;
  }

  /** A step that `onCrash: 'park'` holds. */
  get heldStep(): string | undefined {
    return this.#heldStep;
  }

  /** Makes a step happen. Only once history is used up. */
  start(step: LiveStep): void {
    const { facts, ledger, effects, track } = this.#options;
    const { action } = step.spec;
    const recorded = ledger.row(step.seq);
    if (recorded?.outcome !== undefined) {
      this.#takeUp(step, recorded, recorded.outcome);
    } else if (action.mode === 'value') {
      const { clock, ids } = facts.services;
      this.settle(step, { outcome: { ok: true, value: action.produce({ clock, ids }) }, attempt: 1, endedAt: clock.now(), written: false });
    } else if (action.mode === 'effect') {
      step.state = 'running';
      if (action.spawns !== false) this.#spawned = true;
      track(effects.run(step, action).then((end) => this.#effectEnded(step, end)));
    } else if (action.mode === 'wait') {
      step.state = 'waiting';
      track(this.#options.waits().open(step).then(this.#options.onWaiting));
    }
  }

  /** What a wait was waiting for has come. */
  waitOver(step: LiveStep, payload: JsonValue | undefined): void {
    const value = step.spec.kind === 'human' ? ((payload as { answer?: JsonValue } | undefined)?.answer ?? null) : payload;
    const startedAt = this.#options.ledger.row(step.seq)?.startedAt;
    this.settle(step, {
      outcome: value === undefined ? { ok: true } : { ok: true, value }, attempt: 1, endedAt: this.#now(), written: false,
      ...(startedAt === undefined ? {} : { startedAt }),
    });
  }

  /** The outcome of a step is known. */
  settle(step: LiveStep, settled: Settled): void {
    const { ledger, outcomes, delivery, closing, track } = this.#options;
    // Replay hands the recorded outcome of a child over at its place.
    if (!delivery().live && ledger.row(step.seq)?.position !== undefined) return;
    step.state = 'settled';
    outcomes.keep(step, settled);
    if (closing()) return;
    if (step.gate !== undefined && settled.gate === undefined && settled.outcome.ok) {
      track(this.#askGate(step, settled));
      return;
    }
    // Somebody else's outcome is on its way to the body: this one is made durable while it waits for its turn.
    if (!delivery().idle && !settled.written) track(outcomes.write(step, settled));
    delivery().enqueue(step);
  }

  /** The outcome was durable before a crash but had not reached the body; perhaps its gate has not been asked yet. */
  #takeUp(step: LiveStep, row: StepRecord, outcome: Outcome): void {
    this.settle(step, {
      outcome, attempt: row.attempt, endedAt: row.endedAt ?? this.#now(), redacted: true, written: true,
      ...(row.gate === undefined ? {} : { gate: row.gate }), ...(row.spend === undefined ? {} : { spend: row.spend }), ...(row.startedAt === undefined ? {} : { startedAt: row.startedAt }),
    });
  }

  #effectEnded(step: LiveStep, end: EffectEnd): void {
    if (end.type === 'held') {
      this.#heldStep = step.id;
      step.state = 'waiting';
      this.#options.onWaiting();
    } else if (end.type === 'outcome') {
      const { type: _type, ...rest } = end;
      this.settle(step, { ...rest, endedAt: this.#now(), written: false });
    }
  }

  async #askGate(step: LiveStep, settled: Settled): Promise<void> {
    const { facts, ledger, outcomes, account } = this.#options;
    // The effect must not happen again because its gate was interrupted.
    if (!settled.written) await outcomes.write(step, settled);
    this.#spawned = true;
    const outcome = ledger.row(step.seq)?.outcome;
    const value = outcome?.ok === true ? (outcome.value ?? null) : null;
    const { clock } = facts.services;
    const asked = clock.monotonic();
    const gate = await runGate({ step, value, facts });
    if (gate === 'stopped') return;
    // A gate that runs a command is part of what the step takes; looking at a value is not worth counting.
    const wallclock = step.gate?.type === 'named' && step.gate.gate.type === 'subprocess_gate' ? Math.round(clock.monotonic() - asked) : 0;
    const spend: Spend | undefined = wallclock === 0 ? settled.spend : addSpend({ ...NOTHING_SPENT, wallclock }, settled.spend);
    if (wallclock > 0) account.charge({ ...NOTHING_SPENT, wallclock });
    this.settle(step, { ...settled, gate, written: true, ...(spend === undefined ? {} : { spend }) });
  }

  #now(): number {
    return this.#options.facts.services.clock.now();
  }
}
