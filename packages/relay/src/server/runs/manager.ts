import { isFlowsError, type Journal, type JsonValue, type Runtime } from '@relayflows/sdk';
import { RelayError } from '../../errors/relay-error.js';
import type { StoredRun } from '../../store/rows.js';
import type { WorkflowDefinition } from '../../workflow/definition.js';
import { CURRENT_INTERPRETER_FLAGS } from '../../workflow/interpreter/flags.js';
import { visitSignal, type TicketRunInput, type VisitMessage } from '../../workflow/interpreter/input.js';
import { Gate, Locks } from '../gate.js';
import { attemptId, logicalRunId } from '../ids.js';
import type { Workshop } from '../workshop.js';
import { TICKET_FLOW } from './ticket-flow.js';
import { fault } from '../../faults/fault.js';

/** Runs that are brought back into memory at once. */
const WAKING = 20;

export interface TicketFacts {
  readonly id: string;
  readonly key: string;
  readonly title: string;
}

/** Keeps runs of tickets going: begins them, wakes them when there is news, and tells people when one cannot go on. */
export class RunManager {
  /** One change at a time per ticket. */
  readonly locks = new Locks();
  readonly #shop: Workshop;
  readonly #runtime: Runtime;
  readonly #journal: Journal;
  readonly #waking = new Gate(WAKING);
  #closed = false;

  constructor(args: { readonly shop: Workshop; readonly runtime: Runtime; readonly journal: Journal }) {
    this.#shop = args.shop;
    this.#runtime = args.runtime;
    this.#journal = args.journal;
  }

  /** Begins an attempt for a ticket. One that was begun already goes on. */
  async begin(args: { readonly repo: string; readonly workflow: WorkflowDefinition; readonly ticket: TicketFacts; readonly attempt: number }): Promise<StoredRun> {
    const { store, clock } = this.#shop;
    const logical = logicalRunId({ repo: args.repo, workflow: args.workflow.name, ticket: args.ticket.key });
    const id = attemptId(logical, args.attempt);
    store.addRun({ id, logical, attempt: args.attempt, repo: args.repo, workflow: args.workflow, ticket: args.ticket, at: clock.now() });
    fault('begin.row');
    await this.#create(id);
    fault('begin.created');
    const run = store.run(id);
    if (run === undefined) throw new RelayError('internal_error', `The run of ${args.ticket.key} vanished while it began.`);
    return run;
  }

  /** The number of the attempt to begin for a ticket that has no run: 1, unless the journal knows of earlier ones whose rows were deleted. */
  async nextAttempt(logical: string): Promise<number> {
    let attempt = 1;
    while ((await this.#journal.run({ runId: attemptId(logical, attempt) })) !== undefined) attempt += 1;
    return attempt;
  }

  /** Brings a run to where it waits again. Does not wait for that. */
  wake(runId: string): void {
    if (this.#closed) return;
    void this.#waking.pass(async () => {
      const handle = this.#runtime.resume(runId);
      this.#follow(runId, handle.result);
      await handle.created;
    }).catch((error: unknown) => this.#stuck(runId, error));
  }

  /** Sends a message to a visit, for good, and wakes the run. */
  async tell(runId: string, visitId: string, message: VisitMessage): Promise<void> {
    await this.#runtime.signal({ runId, name: visitSignal(visitId), payload: message as unknown as JsonValue });
    this.wake(runId);
  }

  /** Stops the instance of a run for good. One that is not there, or has ended, is fine. */
  async stopInstance(runId: string): Promise<void> {
    try {
      await this.#runtime.cancel(runId);
    } catch (error) {
      if (!isFlowsError(error) || (error.code !== 'run_not_found' && error.code !== 'run_finished')) throw error;
    }
  }

  /** After a start: whatever was under way, or has news, goes on; a run without an instance gets one. Answers with the runs that wait. */
  async recover(): Promise<readonly StoredRun[]> {
    const waiting: StoredRun[] = [];
    for (const run of this.#shop.store.runs({ active: true })) {
      if (run.state === 'canceling') continue;
      const instance = await this.#journal.run({ runId: run.id });
      if (instance === undefined) await this.#create(run.id);
      else if ((await this.#journal.signals({ runId: run.id })).some(({ name }) => run.visit !== null && name === visitSignal(run.visit))) this.wake(run.id);
      else {
        if (instance.status !== 'parked') this.wake(run.id);
        // Also one that was stopped before it had come to rest: what it waits for may be gone.
        if (run.state === 'waiting' || run.state === 'blocked') waiting.push(run);
      }
    }
    return waiting;
  }

  close(): void {
    this.#closed = true;
  }

  async #create(id: string): Promise<void> {
    const { store } = this.#shop;
    const run = store.run(id);
    const workflow = store.definition(id);
    if (run === undefined || workflow === undefined) return;
    const input: TicketRunInput = { flags: CURRENT_INTERPRETER_FLAGS, logicalRunId: run.logical, attempt: run.attempt, repo: run.repo, workflow, ticket: run.ticket };
    const handle = this.#runtime.run(TICKET_FLOW.name, { id, input, cwd: this.#shop.home });
    this.#follow(id, handle.result);
    try {
      await handle.created;
    } catch (error) {
      if (!isFlowsError(error) || error.code !== 'run_exists') throw error;
      this.wake(id);
    }
  }

  #follow(runId: string, result: Promise<{ readonly status: string; readonly diagnostics: readonly { readonly message: string }[] }>): void {
    void result.then(
      (report) => {
        if (report.status === 'failed') this.#stuck(runId, new Error(report.diagnostics[0]?.message ?? 'The run failed.'));
      },
      (error: unknown) => {
        // Somebody else created it, or it is being woken twice.
        if (isFlowsError(error) && (error.code === 'run_exists' || error.code === 'run_owned')) return;
        this.#stuck(runId, error);
      },
    );
  }

  /** The instance itself failed, which no retry mends. */
  #stuck(runId: string, error: unknown): void {
    if (this.#closed) return;
    const { store, clock, log } = this.#shop;
    const text = error instanceof Error ? error.message : String(error);
    const key = store.run(runId)?.ticket.key ?? '';
    store.updateRun(runId, {
      state: 'blocked', lastError: text, retry: null, at: clock.now(),
      attention: `The run cannot go on by itself. Look into server.log, then cancel it and begin another attempt: \`relay-flow run cancel --ticket ${key}\`, \`relay-flow run restart --ticket ${key}\`.`,
    });
    log.error('run is stuck', { runId, text });
  }
}
