import type { AgentResolution } from '../agents/preflight.js';
import { isFlowsError } from '../errors/flows-error.js';
import type { Claim, Completion, RunRecord, RunStatus, StepRecord } from '../journal/port.js';
import { EventStream } from './event-stream.js';
import { internalFailure } from './failure.js';
import type { RunEvent } from './events.js';
import { CANCEL_SIGNAL, messageOf } from './mailbox-names.js';
import { buildReport } from './report-builder.js';
import type { Diagnostic, RunReport } from './report.js';
import type { RunHandle } from './runtime.js';
import type { SessionEvent } from './services.js';
import type { RunSession } from './session.js';

/** A claimed run, ready to execute. */
export interface OpenedRun {
  readonly claim: Claim;
  readonly run: RunRecord;
  readonly session: RunSession;
  readonly resumed: boolean;
  readonly resolutions: readonly AgentResolution[];
}

/** What opening a run came to: a session, or the report of a run that has ended before. */
export type Opening = OpenedRun | { readonly finished: RunReport };

export interface ActiveRunOptions {
  readonly id: string;
  readonly now: () => number;
  readonly setTimer: (ms: number, callback: () => void) => { cancel(): void };
  readonly journalPath: string | undefined;
  readonly onEvent: ((event: RunEvent) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  /** Creates or claims the run. Called again when a sleeping run wakes. */
  readonly open: (active: ActiveRun, wake: boolean) => Promise<Opening>;
  /** Whether the mailbox holds a message of one of these names. */
  readonly hasMessage: (names: readonly string[]) => Promise<boolean>;
  readonly onRest: (active: ActiveRun) => void;
}

/** One run executed by this runtime, from the call to its rest, over as many sessions as its sleeps and new beginnings make. Implements the handle that a host holds. */
export class ActiveRun implements RunHandle {
  readonly id: string;
  readonly events = new EventStream();
  readonly created: Promise<void>;
  readonly result: Promise<RunReport>;
  readonly #options: ActiveRunOptions;
  readonly #warnings: Diagnostic[] = [];
  #resolutions: readonly AgentResolution[] = [];
  #opened: OpenedRun | undefined;
  #stopRequest: 'cancel' | 'interrupt' | undefined;
  #wake: (() => void) | undefined;
  /** Somebody says that there may be a message, since the mailbox was looked into last. */
  #noticed = false;

  constructor(options: ActiveRunOptions) {
    this.#options = options;
    this.id = options.id;
    let created!: () => void;
    let refused!: (error: unknown) => void;
    this.created = new Promise<void>((resolve, reject) => {
      created = resolve;
      refused = reject;
    });
    // A host that only looks at `result` has no interest in `created`, and the other way round.
    this.created.catch(() => undefined);
    this.result = this.#drive(created);
    this.result.catch(refused);
    if (options.signal?.aborted === true) void this.cancel();
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => void this.cancel();

  /** The session that executes the body now; none while the run sleeps. */
  get session(): RunSession | undefined {
    return this.#opened?.session;
  }

  get claim(): Claim | undefined {
    return this.#opened?.claim;
  }

  /** Ends a sleep early: somebody else may have ended the run. */
  wakeUp(): void {
    this.#wake?.();
  }

  /** There may be a message for the run: if it rests or is about to, it looks again. */
  notice(): void {
    this.#noticed = true;
    this.#wake?.();
  }

  emit(event: SessionEvent): void {
    const complete = { runId: this.id, at: this.#options.now(), ...event } as RunEvent;
    this.events.push(complete);
    this.#options.onEvent?.(complete);
  }

  warn(code: string, text: string, stepId?: string): void {
    const step = stepId === undefined ? {} : { stepId };
    if (this.#warnings.some((warning) => warning.code === code && warning.message === text)) return;
    this.#warnings.push({ severity: 'warning', code, message: text, ...step });
    this.emit({ type: 'warning', code, text, ...step });
  }

  async cancel(): Promise<void> {
    await this.#stop('cancel');
  }

  async interrupt(): Promise<void> {
    await this.#stop('interrupt');
  }

  async #stop(request: 'cancel' | 'interrupt'): Promise<void> {
    if (this.#stopRequest !== 'cancel') this.#stopRequest = request;
    this.#applyStop();
    await this.result.then(() => undefined, () => undefined);
  }

  #applyStop(): void {
    if (this.#stopRequest === undefined) return;
    if (this.#stopRequest === 'cancel') this.session?.cancel();
    else this.session?.interrupt();
    this.#wake?.();
  }

  async #drive(created: () => void): Promise<RunReport> {
    try {
      let park: (() => RunReport) | undefined;
      session: for (let wake = false; ; wake = true) {
        const opening = await this.#reopen(wake, park);
        if ('finished' in opening) {
          created();
          return opening.finished;
        }
        this.#opened = opening;
        if (!wake) this.#resolutions = opening.resolutions;
        created();
        this.emit({ type: 'run.started', flowName: opening.run.flowName, cwd: opening.run.cwd, resumed: opening.resumed });
        const resting = opening.session.execute();
        this.#applyStop();
        const rest = await resting;
        this.#opened = undefined;
        const { run } = opening;
        const rows = opening.session.ledger.rows();
        if (rest.type === 'failed') throw rest.error;
        if (rest.type === 'finished') return this.#completed(run, rest.verdict.status, rest.verdict.completion, rows);
        if (rest.type === 'continued') {
          this.#warnings.length = 0;
          park = () => this.#rested(run, 'interrupted', [], undefined, undefined);
          if (this.#stopRequest === 'interrupt') return park();
          continue;
        }
        if (rest.type === 'interrupted') return this.#rested(run, 'interrupted', rows, undefined, undefined);
        park = () => this.#rested(run, 'parked', rows, rest.wakeAt, rest.heldStep);
        const awaited = rows.flatMap((row) => (row.wait === undefined || row.outcome !== undefined ? [] : (messageOf(row.stepId, row.wait) ?? [])));
        let report: RunReport | undefined;
        while (report === undefined || this.#noticed) {
          this.#noticed = false;
          // Whoever wrote to the run while it came to rest counts on us, who executed it; whoever cancels it later does so without us. A host that stops
          // takes nothing up any more.
          if (this.#stopRequest === 'cancel') continue session;
          if (this.#stopRequest !== 'interrupt' && (rest.answered === true || (await this.#options.hasMessage(report === undefined ? [CANCEL_SIGNAL, ...awaited] : awaited)))) continue session;
          if (this.#noticed) continue;
          const told: RunReport = report ?? park();
          report = told;
          park = () => told;
          // Whoever hears of the report may ask for the run at once.
          if (this.#noticed) continue;
          if (rest.wakeAt === undefined || report.parkCause !== undefined) return report;
          await this.#sleepUntil(rest.wakeAt);
          if (this.#stopRequest === 'interrupt') return report;
        }
        park = undefined;
      }
    } catch (error) {
      throw internalFailure(error);
    } finally {
      this.#options.signal?.removeEventListener('abort', this.#onAbort);
      this.events.end();
      this.#options.onRest(this);
    }
  }

  /** Opens the run. One that was answered while it came to rest, and is executed by another process by now, has come to rest here. */
  async #reopen(wake: boolean, park: (() => RunReport) | undefined): Promise<Opening> {
    try {
      return await this.#options.open(this, wake);
    } catch (error) {
      // It ended elsewhere in the moment in which it was to be claimed: the next look finds its report.
      if (wake && isFlowsError(error) && error.code === 'run_finished') return this.#options.open(this, wake);
      if (park === undefined || !isFlowsError(error) || error.code !== 'run_owned') throw error;
      return { finished: park() };
    }
  }

  #completed(run: RunRecord, status: RunStatus, completion: Completion, rows: readonly StepRecord[]): RunReport {
    const report = buildReport({ run, status, completion, rows, warnings: this.#warnings, resolutions: this.#resolutions, endedAt: this.#options.now(), journalPath: this.#options.journalPath });
    this.emit({ type: 'run.completed', report });
    return report;
  }

  #rested(run: RunRecord, status: 'parked' | 'interrupted', rows: readonly StepRecord[], wakeAt: number | undefined, heldStep: string | undefined): RunReport {
    const report = buildReport({ run, status, rows, warnings: this.#warnings, resolutions: this.#resolutions, wakeAt, heldStep, journalPath: this.#options.journalPath });
    this.emit({ type: 'run.parked', report });
    return report;
  }

  async #sleepUntil(wakeAt: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#options.setTimer(wakeAt - this.#options.now(), resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
      if (this.#stopRequest !== undefined || this.#noticed) this.#wake();
    });
    this.#wake = undefined;
  }
}
