import { resolve } from 'node:path';
import type { FlowHandle } from '@relayflows/surface';
import { createAgentServices } from '../agents/services.js';
import { FlowsError, isFlowsError } from '../errors/flows-error.js';
import type { SealedFlow } from '../flow/sealed.js';
import type { Journal, OwnerIdentity, RunRecord } from '../journal/port.js';
import { runExists } from '../journal/refusals.js';
import { systemClock } from '../ports/clock.js';
import { randomIds } from '../ports/ids.js';
import { systemShell } from '../process/shell.js';
import { createRedactor } from '../redaction/redactor.js';
import { ActiveRun } from './active-run.js';
import { FlowSources, type FlowFinder } from './flow-source.js';
import { JournalWriter, staleOwner } from './journal-writer.js';
import { JOURNAL_FILE, openJournal } from './open-journal.js';
import { thisMachine, type Machine } from './machine.js';
import { describeSelf } from './owner.js';
import { runIdProblem } from './run-id.js';
import { openExisting, openNew, type OpeningFacts } from './open-run.js';
import { lookIntoMailbox } from './foreign-messages.js';
import { answerQuestion, cancelAtRest, findRunId, sendSignal, viewStatus } from './run-controls.js';
import type { AnswerRequest, HookImplementation, ResumeRequest, RunHandle, RunRequest, Runtime, RuntimeOptions, SignalRequest } from './runtime.js';
import type { RuntimeServices } from './services.js';
import { Staying } from './staying.js';

/** How long a claim holds without a heartbeat, in milliseconds. It matters for another host only: on this one a dead owner is recognised at once. */
const LEASE_MS = 60_000;

/** Makes a runtime. Opens nothing yet: the journal is opened on first use, or by `ready()`. */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  return new LocalRuntime(options, {});
}

/** What stands below a runtime and is no choice of its host. */
export interface Footing {
  /** Default: the one we are on. */
  readonly machine?: Machine;
  /** Default: what is passed to `run`, by its source or registered by name. */
  readonly sources?: FlowFinder;
}

/** For `simulate()`: a runtime on a machine on which nothing happens. */
export function createRuntimeOn(footing: Footing, options: RuntimeOptions): Runtime {
  return new LocalRuntime(options, footing);
}

/** Creates or claims a run. */
type Open = ConstructorParameters<typeof ActiveRun>[0]['open'];

class LocalRuntime implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #dataDir: string;
  readonly #clock;
  readonly #ids;
  readonly #env;
  readonly #machine: Machine;
  readonly #sources: FlowFinder;
  readonly #active = new Map<string, ActiveRun>();
  #owner: OwnerIdentity | undefined;
  #opened: Promise<RuntimeServices> | undefined;
  #stopPulse: (() => void) | undefined;
  #stopListening: (() => void) | undefined;
  #unwatch: (() => void) | undefined;
  #closed = false;

  constructor(options: RuntimeOptions, footing: Footing) {
    this.#options = options;
    this.#machine = footing.machine ?? thisMachine;
    this.#dataDir = resolve(options.dataDir ?? '.relayflowd');
    this.#clock = options.clock ?? systemClock;
    this.#ids = options.ids ?? randomIds;
    // A snapshot: a host that changes its environment later does not change what a running step is given.
    this.#env = Object.freeze({ ...(options.env ?? process.env) });
    this.#sources = footing.sources ?? new FlowSources({ moduleDir: resolve(this.#dataDir, 'modules'), registered: options.flows });
  }

  async ready(): Promise<void> {
    await this.#services();
  }

  run(flow: SealedFlow | FlowHandle | string, request: RunRequest = {}): RunHandle {
    const id = request.id ?? this.#ids.runId(this.#clock.now());
    const problem = runIdProblem(id);
    if (problem !== undefined || this.#active.has(id)) {
      // A handle that nobody finds under this id, which is none, or another run's.
      return this.#make(String(id), request.signal, async () => Promise.reject(problem ?? runExists(id)));
    }
    return this.#activate(id, request.signal, async (active, wake) => {
      if (wake) return openExisting(this.#facts(await this.#services()), active, { runId: id });
      // Loading the flow and opening the journal take their time side by side.
      const opening = this.#services();
      opening.catch(() => undefined);
      const runnable = await this.#sources.find(flow);
      return openNew(this.#facts(await opening), active, { runId: id, runnable, input: request.input, cwd: resolve(request.cwd ?? '.') });
    });
  }

  resume(runId: string, request: ResumeRequest = {}): RunHandle {
    const here = this.#active.get(runId);
    if (here !== undefined) {
      // It may be about to rest without having seen what it is resumed for.
      here.notice();
      return here;
    }
    return this.#activate(runId, request.signal, async (active, wake) => {
      const source = request.flow === undefined || wake ? undefined : await this.#sources.find(request.flow);
      return openExisting(this.#facts(await this.#services()), active, { runId, source, release: wake ? undefined : request.release });
    });
  }

  async answer(request: AnswerRequest): Promise<void> {
    const { journal, redact } = await this.#services();
    await answerQuestion({ journal, redact, now: this.#clock.now(), request });
    await this.#delivered(request.runId);
  }

  async signal(request: SignalRequest): Promise<{ readonly accepted: boolean }> {
    const { journal, redact } = await this.#services();
    const { accepted } = await sendSignal({ journal, redact, now: this.#clock.now(), request });
    if (accepted) await this.#delivered(request.runId);
    return { accepted };
  }

  /** A message has come for a run. */
  async #delivered(runId: string): Promise<void> {
    const active = this.#active.get(runId);
    active?.notice();
    await active?.session?.checkMailbox();
  }

  async cancel(runId: string): Promise<void> {
    const here = this.#active.get(runId);
    if (here !== undefined) {
      await here.cancel();
      return;
    }
    const services = await this.#services();
    const elsewhere = await cancelAtRest({ journal: services.journal, runId, now: this.#clock.now() });
    if (elsewhere) return;
    // Nobody executes it: this runtime claims it only to end it.
    const handle = this.resume(runId);
    await handle.cancel();
    await handle.result;
  }

  async status(runId: string) {
    const { journal } = await this.#services();
    return viewStatus({ journal, runId, journalPath: this.#journalPath() });
  }

  async list(filter: Parameters<Runtime['list']>[0] = {}): Promise<readonly RunRecord[]> {
    const { journal } = await this.#services();
    const { limit = 50, ...rest } = filter;
    return journal.list({ ...rest, limit });
  }

  async findRun(idPrefix: string): Promise<string> {
    const { journal } = await this.#services();
    return findRunId({ journal, idPrefix, journalPath: this.#journalPath() });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([...this.#active.values()].map((active) => active.interrupt()));
    this.#rest();
    const opened = await this.#opened?.catch(() => undefined);
    if (this.#options.journal === undefined) await opened?.journal.close();
  }

  #activate(id: string, signal: AbortSignal | undefined, open: Open): ActiveRun {
    const active = this.#make(id, signal, open);
    this.#active.set(id, active);
    this.#begin();
    return active;
  }

  #make(id: string, signal: AbortSignal | undefined, open: Open): ActiveRun {
    return new ActiveRun({
      id, signal,
      now: () => this.#clock.now(),
      setTimer: (ms, callback) => this.#clock.setTimer(ms, callback),
      journalPath: this.#journalPath(),
      onEvent: this.#options.onEvent,
      open: async (run, wake) => {
        if (this.#closed) throw new FlowsError('invalid_invocation', 'The runtime was closed.', { hint: 'Make a new one.' });
        return open(run, wake);
      },
      hasMessage: async (names) => {
        const { journal } = await this.#services();
        const signals = await journal.signals({ runId: id });
        return signals.some(({ name }) => names.includes(name));
      },
      onRest: (run) => {
        if (this.#active.get(id) === run) this.#active.delete(id);
        if (this.#active.size === 0) this.#rest();
      },
    });
  }

  #services(): Promise<RuntimeServices> {
    this.#opened ??= this.#open();
    // A journal that could not be opened may be there the next time.
    this.#opened.catch(() => {
      this.#opened = undefined;
    });
    return this.#opened;
  }

  async #open(): Promise<RuntimeServices> {
    const journal: Journal = this.#options.journal ?? (await openJournal({ dataDir: this.#dataDir, readOnly: this.#options.readOnly === true }));
    const redact = this.#options.redact ?? createRedactor({ env: this.#env });
    return {
      journal,
      writer: new JournalWriter(journal),
      clock: this.#clock,
      ids: this.#ids,
      redact,
      shell: this.#options.shell ?? systemShell,
      machine: this.#machine,
      agents: createAgentServices({
        redact,
        disk: this.#machine.agents,
        ids: this.#ids,
        ...(this.#options.agents === undefined ? {} : { adapters: this.#options.agents }),
        ...(this.#options.agentCapacity === undefined ? {} : { capacity: this.#options.agentCapacity }),
        ...(this.#options.priceOf === undefined ? {} : { priceOf: this.#options.priceOf }),
      }),
      hooks: new Map(Object.entries(this.#options.hooks ?? {}).map(([name, hook]) => [name, Array.isArray(hook) ? (hook as HookImplementation[]) : [hook as HookImplementation]])),
      replayStallMs: this.#options.replayStallMs ?? 10_000,
      parkAfterMs: this.#options.parkAfterMs ?? 10_000,
      staying: new Staying({ clock: this.#clock, ...(this.#options.stay ?? { forMs: 0, atMost: Number.POSITIVE_INFINITY }) }),
    };
  }

  #facts(services: RuntimeServices): OpeningFacts {
    this.#owner ??= describeSelf(this.#ids.uuid());
    return { services, sources: this.#sources, owner: this.#owner, leaseMs: LEASE_MS, dataDir: this.#dataDir, env: this.#env, journalPath: this.#journalPath() };
  }

  #journalPath(): string | undefined {
    return this.#options.journal === undefined ? resolve(this.#dataDir, JOURNAL_FILE) : undefined;
  }

  // While runs are executed: heartbeats, progress, and what other processes put into the mailbox.

  #begin(): void {
    if (this.#stopPulse !== undefined) return;
    this.#stopPulse = this.#machine.pulse(() => this.#beat());
    this.#stopListening = this.#machine.listen({ unhandled: this.#onUnhandled, nothingLeft: this.#options.ownsProcess === true ? this.#onNothingLeft : undefined });
    void this.#services().then(({ journal }) => {
      if (this.#stopPulse !== undefined) this.#unwatch ??= journal.onForeignChange(() => void this.#checkMailboxes());
    }, () => undefined);
  }

  #rest(): void {
    this.#stopPulse?.();
    this.#stopPulse = undefined;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  async #beat(): Promise<void> {
    const services = await this.#services();
    const claims = [...this.#active.values()].flatMap(({ claim }) => (claim === undefined ? [] : [{ runId: claim.runId, epoch: claim.epoch }]));
    if (claims.length === 0) return;
    try {
      const { stale } = await services.journal.heartbeat({ claims, leaseUntil: this.#clock.now() + LEASE_MS });
      for (const runId of stale) this.#active.get(runId)?.session?.fail(staleOwner(runId));
      await Promise.all([...this.#active.values()].map(async ({ session }) => await session?.recordProgress()));
    } catch {
      // The journal cannot be written at the moment. A step's outcome will say so if it lasts.
    }
  }

  async #checkMailboxes(): Promise<void> {
    const { journal } = await this.#services();
    for (const active of this.#active.values()) await lookIntoMailbox(journal, active);
  }

  readonly #onNothingLeft = (): void => {
    for (const { session } of this.#active.values()) session?.noteStuck();
  };

  /**
   * A flow that leaves a rejection unhandled must not end the process of its host. One of ours is attributed to its run; with a single run in the
   * process every rejection is that run's. Any other keeps the effect it has without us.
   */
  readonly #onUnhandled = (reason: unknown): void => {
    const named = isFlowsError(reason) && reason.runId !== undefined ? this.#active.get(reason.runId) : undefined;
    const only = this.#options.ownsProcess === true && this.#active.size === 1 ? [...this.#active.values()][0] : undefined;
    const session = (named ?? only)?.session;
    if (session !== undefined) session.noteUnhandled(reason);
    else if (process.listenerCount('unhandledRejection') === 1) throw reason;
  };
}
