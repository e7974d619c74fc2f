import { FlowsError } from '../errors/flows-error.js';
import { fault } from '../faults/fault.js';
import type { CompletedRecord, Journal, ProgressRecord, StaleRuns, StartedRecord } from '../journal/port.js';

interface Waiting<R> {
  /** Made at the moment of the commit, since what it says of the body may change until then. */
  readonly record: () => R;
  readonly runId: string;
  readonly resolve: () => void;
  readonly reject: (error: FlowsError) => void;
}

/**
 * Group commit: everything that the runs of one runtime want to write within a turn of the event loop becomes one commit.
 *
 * Owns the order of writes. Invariants:
 * 1. A caller's promise resolves only after its record is committed, in the same turn of the event loop as the commit when the journal is
 *    synchronous: nothing runs between the moment a record is made and the moment its outcome is delivered.
 * 2. Starts are committed before outcomes of the same turn, so that an outcome never overtakes its start.
 */
export class JournalWriter {
  readonly #journal: Journal;
  #started: Waiting<StartedRecord>[] = [];
  #waits: Waiting<StartedRecord>[] = [];
  #progressed: Waiting<ProgressRecord>[] = [];
  #completed: Waiting<CompletedRecord>[] = [];
  #scheduled = false;
  #flushing = false;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Commits the beginning of an attempt. `durable` for waits. Rejects with `stale_owner` or the journal's error. */
  started(record: StartedRecord, options: { readonly durable: boolean }): Promise<void> {
    return this.#enqueue(options.durable ? this.#waits : this.#started, record.runId, () => record);
  }

  progressed(record: ProgressRecord): Promise<void> {
    return this.#enqueue(this.#progressed, record.runId, () => record);
  }

  completed(runId: string, record: () => CompletedRecord): Promise<void> {
    return this.#enqueue(this.#completed, runId, record);
  }

  #enqueue<R>(queue: Waiting<R>[], runId: string, record: () => R): Promise<void> {
    return new Promise((resolve, reject) => {
      queue.push({ record, runId, resolve, reject });
      if (this.#scheduled || this.#flushing) return;
      this.#scheduled = true;
      setImmediate(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    this.#scheduled = false;
    this.#flushing = true;
    const { started, waits, progressed, completed } = this.#take();
    if (started.length > 0) await settle(started, (records) => this.#journal.started({ records, durable: false }));
    if (waits.length > 0) await settle(waits, (records) => this.#journal.started({ records, durable: true }));
    if (progressed.length > 0) await settle(progressed, (records) => this.#journal.progressed({ records }));
    if (completed.length > 0) {
      fault('journal.completed.before-commit');
      await settle(completed, (records) => this.#journal.completed({ records }));
    }
    this.#flushing = false;
    if (this.#started.length + this.#waits.length + this.#progressed.length + this.#completed.length > 0 && !this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => void this.#flush());
    }
  }

  #take() {
    const taken = { started: this.#started, waits: this.#waits, progressed: this.#progressed, completed: this.#completed };
    this.#started = [];
    this.#waits = [];
    this.#progressed = [];
    this.#completed = [];
    return taken;
  }
}

async function settle<R>(batch: readonly Waiting<R>[], commit: (records: readonly R[]) => Promise<StaleRuns>): Promise<void> {
  try {
    const { stale } = await commit(batch.map((waiting) => waiting.record()));
    for (const waiting of batch) {
      if (stale.length > 0 && stale.includes(waiting.runId)) waiting.reject(staleOwner(waiting.runId));
      else waiting.resolve();
    }
  } catch (error) {
    const failure = error instanceof FlowsError ? error : new FlowsError('journal_io', `the journal could not be written: ${String(error)}`, { cause: error });
    for (const waiting of batch) waiting.reject(failure);
  }
}

export function staleOwner(runId: string): FlowsError {
  return new FlowsError('stale_owner', `run ${runId} was taken over by another process`, {
    hint: 'Nothing was lost: follow it with `flows status`.',
    runId,
  });
}
