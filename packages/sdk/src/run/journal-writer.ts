import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import type { CompletedRecord, Journal, ProgressRecord, StaleRuns, StartedRecord } from '../journal/port.js';

/**
 * The journal as one run writes it: a refused record becomes the error of the run that wrote it, and any other trouble a `FlowsError`.
 * Grouping the writes of many runs into one commit is the journal's business.
 */
export class JournalWriter {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Commits the beginning of an attempt. `durable` for waits. Rejects with `stale_owner` or the journal's error. */
  started(record: StartedRecord, options: { readonly durable: boolean }): Promise<void> {
    return accepted(record.runId, this.#journal.started({ records: [record], durable: options.durable }));
  }

  progressed(record: ProgressRecord): Promise<void> {
    return accepted(record.runId, this.#journal.progressed({ records: [record] }));
  }

  completed(record: CompletedRecord): Promise<void> {
    return accepted(record.runId, this.#journal.completed({ records: [record] }));
  }
}

async function accepted(runId: string, writing: Promise<StaleRuns>): Promise<void> {
  let stale: readonly string[];
  try {
    ({ stale } = await writing);
  } catch (error) {
    if (isFlowsError(error)) throw error;
    throw new FlowsError('journal_io', `The journal could not be written: ${String(error)}.`, { hint: 'Resume the run once the cause has gone.', cause: error });
  }
  if (stale.length > 0) throw staleOwner(runId);
}

export function staleOwner(runId: string): FlowsError {
  return new FlowsError('stale_owner', `Run ${runId} was taken over by another process.`, { hint: 'Nothing was lost: follow it with `flows status`.', runId });
}
