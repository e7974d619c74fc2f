import type { FlowsError } from '../errors/flows-error.js';
import { fault } from '../faults/fault.js';
import type { JsonValue } from '../ports/json.js';
import type { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import { answerSignal } from './mailbox-names.js';
import type { Outcomes } from './outcomes.js';
import type { SessionFacts } from './services.js';
import type { Verdict } from './verdict.js';
import type { WaitKeeper } from './wait-keeper.js';

/** How a session came to rest. */
export type Rest =
  | { readonly type: 'finished'; readonly verdict: Verdict }
  | { readonly type: 'parked'; readonly wakeAt?: number; readonly heldStep?: string; /** A message came for an open wait meanwhile. */ readonly answered?: true }
  | { readonly type: 'interrupted' }
  /** The run begins again; it is ready to be claimed. */
  | { readonly type: 'continued' }
  /** The journal was left as it was, or can no longer be written. */
  | { readonly type: 'failed'; readonly error: FlowsError };

/** What a run was before a session, and is again when the session leaves the journal as it was. */
export interface RestStatus {
  readonly status: 'parked' | 'interrupted';
  readonly wakeAt?: number | undefined;
}

export interface RestingOptions {
  readonly facts: SessionFacts;
  readonly ledger: Ledger;
  readonly outcomes: Outcomes;
  readonly waits: WaitKeeper;
  readonly steps: ReadonlyMap<number, LiveStep>;
  /** What goes on beside the body. */
  readonly work: ReadonlySet<Promise<void>>;
  /** Whether the session has started a process. */
  readonly spawned: () => boolean;
  readonly restStatus: RestStatus;
  /** Stops every process of the run, wherever it went. */
  readonly sweep: () => Promise<void>;
}

/** The ways in which a session ends. Each stops everything first and leaves the journal so that the run can be read, resumed or forgotten. */
export class Resting {
  readonly #options: RestingOptions;

  constructor(options: RestingOptions) {
    this.#options = options;
  }

  /** The body has ended, or the run is canceled: what is known is written, then the verdict. */
  async finish(verdict: () => Verdict): Promise<Rest> {
    const { facts, outcomes, steps } = this.#options;
    await this.#stopEverything();
    await outcomes.writeAll();
    for (const step of steps.values()) {
      if (step.state === 'running' && !outcomes.has(step)) facts.warn('step_abandoned', `${step.id} was still running when the run ended and was stopped.`, step.id);
      await outcomes.writeStopped(step);
    }
    const { status, completion } = verdict();
    fault('executor.finish.before');
    await facts.services.journal.finish({ runId: facts.claim.runId, epoch: facts.claim.epoch, status, completion, at: facts.services.clock.now() });
    fault('executor.finish.after');
    return { type: 'finished', verdict: { status, completion } };
  }

  async park(heldStep: string | undefined): Promise<Rest> {
    const { waits, steps } = this.#options;
    const { wakeAt } = waits;
    await this.#stopEverything();
    await this.#release({ status: 'parked', wakeAt });
    fault('executor.parked');
    // A run parks with nothing but waits: what is settled by now was answered meanwhile.
    const answered = waits.missed || [...steps.values()].some(({ state }) => state === 'settled');
    return { type: 'parked', ...(wakeAt === undefined ? {} : { wakeAt }), ...(heldStep === undefined ? {} : { heldStep }), ...(answered ? { answered: true as const } : {}) };
  }

  /** Stopped in good order: what was finished meanwhile is written, so that it is not done again. */
  async interrupt(): Promise<Rest> {
    await this.#stopEverything();
    await this.#options.outcomes.writeAll();
    await this.#release({ status: 'interrupted' });
    return { type: 'interrupted' };
  }

  /** The run begins again with another input and without a history. */
  async continueAs(input: JsonValue): Promise<Rest> {
    const { ledger } = this.#options;
    await this.#stopEverything();
    // Answers to questions that are no more would answer others of the same number.
    const forget = ledger.rows().flatMap((row) => (row.wait?.type === 'human' && row.outcome === undefined ? [answerSignal(row.stepId)] : []));
    const { claim, services } = this.#options.facts;
    fault('executor.continue.before');
    await services.journal.continueAs({ runId: claim.runId, epoch: claim.epoch, input, forget, at: services.clock.now() });
    fault('executor.continue.after');
    return { type: 'continued' };
  }

  /** Leaves the journal as it was. */
  async abandon(error: FlowsError): Promise<Rest> {
    await this.#stopEverything();
    // The first error is what counts; a journal that cannot be written keeps the claim, which the end of this process releases.
    if (error.code !== 'stale_owner') await this.#release(this.#options.restStatus).catch(() => undefined);
    return { type: 'failed', error };
  }

  async #stopEverything(): Promise<void> {
    const { steps, waits, work, spawned, sweep } = this.#options;
    for (const step of steps.values()) if (step.state === 'running' || step.state === 'settled') step.stop.abort();
    waits.close();
    while (work.size > 0) await Promise.all(work);
    if (spawned()) await sweep();
  }

  #release({ status, wakeAt }: RestStatus): Promise<void> {
    const { claim, services } = this.#options.facts;
    return services.journal.park({ runId: claim.runId, epoch: claim.epoch, status, at: services.clock.now(), ...(wakeAt === undefined ? {} : { wakeAt }) });
  }
}
