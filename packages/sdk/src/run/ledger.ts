import type { CompletedRecord, StartedRecord, StepRecord } from '../journal/port.js';

/**
 * What the journal holds of one run, in memory: the history that replay hands back, and every row written since. Decides nothing.
 */
export class Ledger {
  readonly #rows = new Map<number, StepRecord>();
  /** Rows whose outcome reached the body before, in that order. */
  readonly #delivered: StepRecord[];

  constructor(history: readonly StepRecord[]) {
    for (const row of history) this.#rows.set(row.seq, row);
    this.#delivered = history.filter(({ position }) => position !== undefined).sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
  }

  get delivered(): readonly StepRecord[] {
    return this.#delivered;
  }

  /** The body has the outcome of this row of history again. */
  noteReplayed(row: StepRecord): void {
    const kept = withoutValue(row);
    this.#rows.set(row.seq, kept);
    const index = (row.position ?? 0) - 1;
    if (this.#delivered[index] === row) this.#delivered[index] = kept;
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
    this.#rows.set(record.seq, row.position === undefined ? row : withoutValue(row));
  }
}

/** Once the body has a value, only the journal keeps it: a long run must not hold all of its outputs. */
function withoutValue(row: StepRecord): StepRecord {
  return row.outcome?.ok === true ? { ...row, outcome: { ok: true } } : row;
}
