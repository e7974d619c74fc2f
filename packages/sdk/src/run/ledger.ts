import type { CompletedRecord, StartedRecord, StepRecord } from '../journal/port.js';

/**
 * What the journal holds of one run, in memory: the history that replay hands back, and every row written since. Decides nothing.
 */
export class Ledger {
  readonly #rows = new Map<number, StepRecord>();
  /** Rows whose outcome reached the body before, in that order. */
  readonly delivered: readonly StepRecord[];

  constructor(history: readonly StepRecord[]) {
    const delivered: StepRecord[] = [];
    for (const row of history) {
      this.#rows.set(row.seq, row);
      if (row.position !== undefined) delivered.push(row);
    }
    this.delivered = delivered.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  }

  row(seq: number): StepRecord | undefined {
    return this.#rows.get(seq);
  }

  /** All rows in the order of creation. */
  rows(): StepRecord[] {
    return [...this.#rows.values()].sort((a, b) => a.seq - b.seq);
  }

  noteStarted(record: StartedRecord): void {
    const { runId: _run, epoch: _epoch, at, ...step } = record;
    const before = this.#rows.get(record.seq);
    this.#rows.set(record.seq, { ...before, ...step, startedAt: before?.startedAt ?? at });
  }

  noteCompleted(record: CompletedRecord): void {
    const { runId: _run, epoch: _epoch, ...step } = record;
    const row = { ...this.#rows.get(record.seq), ...step };
    // Once the body has a value, only the journal keeps it: a long run must not hold all of its outputs.
    const kept = row.position !== undefined && row.outcome?.ok === true ? { ...row, outcome: { ok: true as const } } : row;
    this.#rows.set(record.seq, kept);
  }
}
