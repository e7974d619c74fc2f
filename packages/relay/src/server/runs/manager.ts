import { isFlowsError, type Journal, type JsonValue, type Runtime } from '@relayflows/sdk';
import { backoffMs } from '../../backoff.js';
import { shellWord } from '../../host/shell-word.js';
import { RelayError } from '../../errors/relay-error.js';
import { textOf } from '../../errors/text-of.js';
import { errorFields } from '../../host/server-log.js';
import type { StoredRun } from '../../store/rows.js';
import type { RunUpdate } from '../../store/run-table.js';
import type { WorkflowDefinition } from '../../workflow/definition.js';
import { CURRENT_INTERPRETER_FLAGS } from '../../workflow/interpreter/flags.js';
import { visitSignal, type TicketRunInput, type VisitMessage } from '../../workflow/interpreter/input.js';
import { Gate } from '../../queues/gate.js';
import { Locks } from '../../queues/locks.js';
import { attemptId, logicalOf, logicalRunId } from '../ids.js';
import type { Workshop } from '../workshop.js';
import { TICKET_FLOW } from './ticket-flow.js';
import { fault } from '../../faults/fault.js';

/** Runs that are brought back into memory at once. */
const WAKING = 20;
/** What is over once somebody has made room, or another process is done; and a claim that the journal was too full to give back, which ends by itself. */
const PASSING: ReadonlySet<string> = new Set(['journal_full', 'journal_busy', 'journal_io', 'run_owned']);

/** Trying costs one look into the journal. */
const LONGEST_MS = 20_000;

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
  /** Runs that the journal failed, and how often in a row. */
  readonly #failing = new Map<string, { readonly failures: number; readonly text: string; timer?: { cancel(): void } | undefined }>();
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
      // Whatever comes of it is told there.
      this.#follow(runId, handle.result);
      await handle.created.then(() => this.#recovered(runId), () => undefined);
    });
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
    for (const { timer } of this.#failing.values()) timer?.cancel();
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
        if (report.status === 'failed') this.#stuck(runId, report.diagnostics[0]?.message ?? 'The run failed.');
      },
      (error: unknown) => {
        // Somebody else created it.
        if (isFlowsError(error) && error.code === 'run_exists') return;
        const text = textOf(error);
        // Our own claim: why it could not be given back is what people want to know.
        if (isFlowsError(error) && PASSING.has(error.code)) this.#later(runId, error.code === 'run_owned' ? (this.#failing.get(runId)?.text ?? text) : text);
        else this.#stuck(runId, text);
      },
    );
  }

  /** The journal could not be read or written, and was left as it was: the run goes on from there once it can. */
  #later(runId: string, text: string): void {
    const before = this.#failing.get(runId);
    if (this.#closed || before?.timer !== undefined) return;
    const failures = (before?.failures ?? 0) + 1;
    const delayMs = Math.min(LONGEST_MS, backoffMs(failures));
    const timer = this.#shop.clock.setTimer(delayMs, () => {
      this.#failing.set(runId, { failures, text });
      void this.#again(runId);
    });
    this.#failing.set(runId, { failures, text, timer });
    this.#show(runId, (at) => ({ lastError: text, retry: { attempt: failures, lastError: text, nextRetryAt: at + delayMs }, at }));
    this.#shop.log.warn('a run is begun again later, since the journal failed it', { runId, text, attempt: failures, delayMs });
  }

  async #again(runId: string): Promise<void> {
    try {
      if ((await this.#journal.run({ runId })) !== undefined) this.wake(runId);
      else if (!this.#closed) {
        await this.#create(runId);
        this.#recovered(runId);
      }
    } catch (error) {
      this.#later(runId, textOf(error));
    }
  }

  #recovered(runId: string): void {
    if (this.#failing.delete(runId)) this.#show(runId, (at) => ({ lastError: null, retry: null, at }));
  }

  /** The instance itself failed, which no retry mends. */
  #stuck(runId: string, text: string): void {
    if (this.#closed) return;
    const ticket = `--ticket ${shellWord(decodeURIComponent(logicalOf(runId).split('/').at(-1) ?? ''))}`;
    this.#show(runId, (at) => ({
      state: 'blocked', lastError: text, retry: null, at,
      attention: `The run cannot go on by itself. Look into server.log, then cancel it and begin another attempt: \`relay-flow run cancel ${ticket}\`, \`relay-flow run restart ${ticket}\`.`,
    }));
    this.#shop.log.error('run is stuck', { runId, text });
  }

  /** Nobody waits for this, so a database that cannot be written must not end the process. */
  #show(runId: string, update: (at: number) => RunUpdate): void {
    const { store, clock, log } = this.#shop;
    try {
      store.updateRun(runId, update(clock.now()));
    } catch (error) {
      log.warn('what became of a run could not be written down', { runId, ...errorFields(error) });
    }
  }
}
