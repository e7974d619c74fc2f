import { errorFields } from '../host/server-log.js';
import type { HeadlessProcess } from '../harness/headless/visit.js';
import type { StoredRun } from '../store/rows.js';
import { Gate } from '../queues/gate.js';
import { headlessKey } from './activities/runtimes.js';
import type { RunManager } from './runs/manager.js';
import type { Workshop } from './workshop.js';

const LOOKS_AT_ONCE = 5;
const EVERY_MS = 60_000;
/** A harness in a terminal that has not told its session by then probably asks a question of its own. */
const SILENT_MS = 120_000;

/** Notices that what a visit waits for is gone: a terminal that was closed, a process that ended with an earlier server. */
export class Reconciler {
  readonly #shop: Workshop;
  readonly #manager: RunManager;
  readonly #takeReports: () => Promise<void>;
  readonly #gate = new Gate(LOOKS_AT_ONCE);
  #timer: { cancel(): void } | undefined;
  #closed = false;

  /** `takeReports` that agents left on disk: whoever has reported needs no terminal any more. Does not throw, and may be called while it runs. */
  constructor(shop: Workshop, manager: RunManager, takeReports: () => Promise<void>) {
    this.#shop = shop;
    this.#manager = manager;
    this.#takeReports = takeReports;
  }

  /** Ends what processes of a dead server left behind, before anything is started. */
  async reap(): Promise<void> {
    const { store, headless, log } = this.#shop;
    for (const { run, node, process } of store.runtimes()) {
      if (process === null) continue;
      try {
        await headless.reap(JSON.parse(process) as HeadlessProcess);
        store.dropRuntime(run, node);
      } catch (error) {
        log.warn('a process of an earlier server could not be ended', { runId: run, node, ...errorFields(error) });
      }
    }
  }

  /** Looks at runs that wait, now and from time to time. Resolves after the first look at those whose answer is known without asking anybody. */
  async begin(waiting: readonly StoredRun[]): Promise<void> {
    if (this.#shop.harness.kind === 'headless') {
      for (const run of waiting) await this.#headless(run);
      return;
    }
    void this.#look(waiting);
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = this.#shop.clock.setTimer(EVERY_MS, () => void this.#lookAtWaiting());
  }

  async #lookAtWaiting(): Promise<void> {
    try {
      await this.#takeReports();
      await this.#look(this.#shop.store.runs({ states: ['waiting'] }));
    } catch (error) {
      this.#shop.log.warn('terminals could not be looked at', errorFields(error));
    } finally {
      this.#schedule();
    }
  }

  /** Whose agent ended with the server is started again, unless it has reported, or a person must look first. */
  async #headless(run: StoredRun): Promise<void> {
    const { store, headless } = this.#shop;
    if (run.visit === null || run.node === null) return;
    if (store.reportOfVisit(run.id, run.visit) !== undefined) return;
    if (store.proposal(run.id)?.visit === run.visit || (run.state === 'blocked' && run.retry === null)) return;
    if (headless.live(headlessKey(run.id, run.node)) !== undefined) return;
    await this.#manager.tell(run.id, run.visit, { type: 'relaunch' });
  }

  async #look(runs: readonly StoredRun[]): Promise<void> {
    await Promise.all(runs.map((run) => this.#gate.pass(() => this.#terminal(run)).catch((error: unknown) => this.#shop.log.debug('a terminal could not be looked at', { runId: run.id, ...errorFields(error) }))));
  }

  async #terminal(listed: StoredRun): Promise<void> {
    const { store, runner: { terminals }, clock } = this.#shop;
    const run = store.run(listed.id);
    if (this.#closed || run?.state !== 'waiting' || run.visit === null || run.node === null) return;
    const runtime = store.runtime(run.id, run.node);
    if (runtime?.visit !== run.visit || store.reportOfVisit(run.id, run.visit) !== undefined) return;
    const found = runtime.handle === null ? undefined : await terminals?.show({ handle: runtime.handle });
    if (found?.live !== true) {
      // It may have reported after the look before this one, and ended then.
      await this.#takeReports();
      if (store.reportOfVisit(run.id, run.visit) !== undefined) return;
      await this.#manager.tell(run.id, run.visit, { type: 'relaunch' });
      return;
    }
    const silent = store.session(run.id, run.node) === undefined && clock.now() - runtime.launchedAt > SILENT_MS;
    if (silent && run.attention === null) {
      store.updateRun(run.id, { attention: `The agent of ${run.node} has not said anything since it was started: look at its terminal ${runtime.handle ?? ''}, it may ask whether to trust the folder, or to sign in.`, at: clock.now() });
    }
  }
}
