import { FlowsError } from '../errors/flows-error.js';
import type { CompletedRecord, GateVerdict, Outcome, StepFailure, StepRecord } from '../journal/port.js';
import { errorOf } from './failure.js';
import type { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import { redactOutcome } from './redact-outcome.js';
import type { SessionFacts } from './services.js';
import type { Spend } from './spend.js';
import type { Cause } from './verdict.js';

/** The outcome of a step on its way to the journal and the body. */
export interface Settled {
  readonly outcome: Outcome;
  readonly gate?: GateVerdict;
  readonly attempt: number;
  readonly spend?: Spend;
  readonly startedAt?: number;
  readonly endedAt: number;
  readonly exitCode?: number;
  /** Its texts went through the redactor. */
  readonly redacted?: boolean;
  /** In the journal already; only its position is missing. */
  written: boolean;
}

export interface OutcomesOptions {
  readonly facts: SessionFacts;
  readonly ledger: Ledger;
  /** How many steps the run has created by now. */
  readonly created: () => number;
  readonly onFailure: (cause: Cause) => void;
  /** The body has the outcome of a step. */
  readonly onHanded: (step: LiveStep) => void;
}

/** Outcomes from the moment they are known until the body has them. Owns the outcome records of a run. */
export class Outcomes {
  readonly #options: OutcomesOptions;
  readonly #settled = new Map<LiveStep, Settled>();

  constructor(options: OutcomesOptions) {
    this.#options = options;
  }

  has(step: LiveStep): boolean {
    return this.#settled.has(step);
  }

  keep(step: LiveStep, settled: Settled): void {
    this.#settled.set(step, settled);
  }

  /** Makes an outcome durable before its turn has come. */
  async write(step: LiveStep, settled: Settled): Promise<void> {
    const record = this.#record(step, settled);
    await this.#options.facts.services.writer.completed(record);
    // Not before: a turn that is recorded meanwhile must not rely on a commit that may fail.
    settled.written = true;
    this.#options.ledger.noteCompleted(record);
  }

  /** Writes the outcome with its position. Answers with what hands it to the body. */
  async deliver(step: LiveStep, position: number): Promise<() => void> {
    const settled = this.#settled.get(step);
    if (settled === undefined) throw new FlowsError('journal_protocol_violation', `${step.id} was to be delivered without an outcome.`, { hint: 'This is a bug; please report it.' });
    let record: CompletedRecord;
    do {
      // What the body has created when it gets the outcome is what a replay must wait for. A timer of its own may create a step during the commit.
      record = { ...this.#record(step, settled), position, created: this.#options.created() };
      const { outcome: _outcome, request: _request, ...rest } = record;
      await this.#options.facts.services.writer.completed(settled.written ? rest : record);
      settled.written = true;
    } while (record.created !== this.#options.created());
    this.#options.ledger.noteCompleted(record);
    this.#settled.delete(step);
    this.#announce(step, record, settled.exitCode);
    return () => this.#hand(step, record.outcome ?? settled.outcome, record.gate);
  }

  /** Hands back what history recorded. */
  replay(step: LiveStep, row: StepRecord): void {
    if (row.outcome === undefined) throw new FlowsError('journal_protocol_violation', `${row.stepId} has a position but no outcome.`, { hint: 'This is a bug; please report it.' });
    this.#options.ledger.noteReplayed(row);
    this.#hand(step, row.outcome, row.gate);
  }

  /** Everything that is known and not written yet: it must not happen again. */
  async writeAll(): Promise<void> {
    await Promise.all([...this.#settled].filter(([, settled]) => !settled.written).map(([step, settled]) => this.write(step, settled)));
  }

  /** A step that began and will never reach the body leaves a record of how it ended. */
  async writeStopped(step: LiveStep): Promise<void> {
    if (this.#settled.has(step) || (step.state !== 'running' && step.state !== 'waiting')) return;
    const { ledger, facts } = this.#options;
    const row = ledger.row(step.seq);
    if (row === undefined) return;
    const spend = row.spend ?? row.progress?.spend;
    await this.write(step, {
      outcome: { ok: false, error: { code: 'canceled', text: `${step.id} was stopped because its run ended.`, completionReason: 'canceled' } },
      attempt: row.attempt, endedAt: facts.services.clock.now(), written: false,
      ...(row.startedAt === undefined ? {} : { startedAt: row.startedAt }), ...(spend === undefined ? {} : { spend }),
    });
  }

  #record(step: LiveStep, settled: Settled): CompletedRecord {
    const { claim } = this.#options.facts;
    return {
      runId: claim.runId, epoch: claim.epoch, seq: step.seq, stepId: step.id, kind: step.spec.kind, fingerprint: step.fingerprint,
      attempt: settled.attempt, endedAt: settled.endedAt, outcome: settled.redacted === true ? settled.outcome : redactOutcome(this.#options.facts.services.redact, settled.outcome),
      ...(step.label === undefined ? {} : { label: step.label }),
      ...(step.request === undefined ? {} : { request: step.request }),
      ...(settled.startedAt === undefined ? {} : { startedAt: settled.startedAt }),
      ...(settled.gate === undefined ? {} : { gate: settled.gate }),
      ...(settled.spend === undefined ? {} : { spend: settled.spend }),
    };
  }

  #hand(step: LiveStep, outcome: Outcome, gate: GateVerdict | undefined): void {
    step.state = 'delivered';
    this.#options.onHanded(step);
    const failure = failureIn({ outcome, ...(gate === undefined ? {} : { gate }) });
    if (failure === undefined) {
      step.resolve(outcome.ok ? outcome.value : undefined);
      return;
    }
    // What a host's own effect fails with is the body's to judge, which it does by letting it pass or not.
    if (step.spec.kind !== 'external') this.#options.onFailure({ failure, stepId: step.id });
    step.reject(errorOf(failure, { runId: this.#options.facts.run.runId, stepId: step.id }));
  }

  #announce(step: LiveStep, record: CompletedRecord, exitCode: number | undefined): void {
    const { outcome, gate } = record;
    const error = outcome?.ok === false ? outcome.error : gate?.error;
    this.#options.facts.emit({
      type: 'step.completed', stepId: step.id, kind: step.spec.kind, ok: error === undefined,
      durationMs: Math.max(0, (record.endedAt ?? 0) - (record.startedAt ?? record.endedAt ?? 0)),
      ...(step.label === undefined ? {} : { label: step.label }), ...(record.spend === undefined ? {} : { spend: record.spend }),
      ...(error === undefined ? {} : { error }), ...(exitCode === undefined ? {} : { exitCode }),
    });
  }
}

/** What a recorded outcome fails the step with, if it does. */
export function failureIn({ outcome, gate }: Pick<StepRecord, 'outcome' | 'gate'>): StepFailure | undefined {
  if (outcome?.ok === false) return outcome.error;
  return gate?.passed === false ? gate.error : undefined;
}
