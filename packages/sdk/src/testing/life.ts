import type { Journal } from '../journal/port.js';
import { FlowsError } from '../errors/flows-error.js';
import type { RunHandle } from '../run/runtime.js';
import type { SimulatedClock } from './simulated-clock.js';

/** When a simulated process dies: after so many outcomes of its run are durable, or after each. */
export type CrashAfter = number | 'each' | undefined;

/** What all processes that executed a run have made durable together. */
export interface Tally {
  outcomes: number;
  crashes: number;
}

/**
 * One process that executes the run. Its death is what the death of a process is to a journal: from one moment on nothing is written any more, and
 * who comes next finds what was.
 */
export class Life {
  readonly #options: { readonly journal: Journal; readonly clock: SimulatedClock; readonly crashAfter: CrashAfter; readonly tally: Tally; readonly onLost: () => void };
  #state: 'alive' | 'crashed' | 'ended' = 'alive';
  #dying = false;
  #beat: (() => Promise<void>) | undefined;
  handle: RunHandle | undefined;

  constructor(options: { readonly journal: Journal; readonly clock: SimulatedClock; readonly crashAfter: CrashAfter; readonly tally: Tally; readonly onLost: () => void }) {
    this.#options = options;
  }

  get crashed(): boolean {
    return this.#state === 'crashed';
  }

  /** How the process records the progress of its steps. Simulated time makes no pulse: it is done once, before the process dies. */
  readonly pulse = (beat: () => Promise<void>): (() => void) => {
    this.#beat = beat;
    return () => {
      this.#beat = undefined;
    };
  };

  /** The process dies. Progress is recorded as of now, as if a pulse had just come. */
  async crash(): Promise<void> {
    await this.#options.clock.during(this.#die());
  }

  /** The simulation is over before its run: the process stops where it is. */
  end(): void {
    if (this.#state === 'alive') this.#state = 'ended';
    void this.handle?.interrupt();
  }

  /** The journal as this process has it: it fails once the process is dead, and knows every earlier owner to be so. */
  journal(): Journal {
    const { journal, clock, tally, crashAfter } = this.#options;
    return new Proxy(journal, {
      get: (target, key) => {
        const member = Reflect.get(target, key) as unknown;
        if (typeof member !== 'function') return member;
        const call = (...args: unknown[]): unknown => (member as (...a: unknown[]) => unknown).apply(target, args);
        switch (key) {
          case 'onForeignChange':
          case 'close':
            return call;
          case 'run':
            return async (args: Parameters<Journal['run']>[0]) => {
              this.#refuseIfDead();
              const run = await target.run(args);
              if (run === undefined) return undefined;
              const { owner: _dead, ...rest } = run;
              return rest;
            };
          case 'claim':
            return async (args: Parameters<Journal['claim']>[0]) => {
              this.#refuseIfDead();
              const run = await target.run({ runId: args.runId });
              return target.claim({ ...args, ...(run?.owner === undefined ? {} : { takeOver: run.epoch }) });
            };
          case 'completed':
            return async (args: Parameters<Journal['completed']>[0]) => {
              this.#refuseIfDead();
              const written = await target.completed(args);
              const before = tally.outcomes;
              tally.outcomes += args.records.filter(({ outcome }) => outcome !== undefined).length;
              const due = crashAfter === 'each' ? tally.outcomes > before : crashAfter !== undefined && before < crashAfter && tally.outcomes >= crashAfter;
              if (!due) return written;
              await clock.during(this.#die());
              throw this.#dead();
            };
          default:
            return async (...args: unknown[]) => {
              this.#refuseIfDead();
              return await (call(...args) as Promise<unknown>);
            };
        }
      },
    });
  }

  async #die(): Promise<void> {
    if (this.#state !== 'alive' || this.#dying) return;
    this.#dying = true;
    await this.#beat?.();
    this.#state = 'crashed';
    this.#options.tally.crashes += 1;
    this.#options.onLost();
    void this.handle?.interrupt();
  }

  #refuseIfDead(): void {
    if (this.#state !== 'alive') throw this.#dead();
  }

  #dead(): FlowsError {
    return new FlowsError('stale_owner', 'The simulated process is dead.', { hint: 'Nothing to do: another one resumes the run.' });
  }
}
