import { FlowsError } from '../errors/flows-error.js';
import { fault } from '../faults/fault.js';
import type { Outcome, StepFailure, StepProgress, StepRecord } from '../journal/port.js';
import type { Account } from './account.js';
import { failureOf } from './failure.js';
import type { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import type { SessionFacts } from './services.js';
import { redactOutcome } from './redact-outcome.js';
import { addSpend, NOTHING_SPENT, type Spend } from './spend.js';
import type { AttemptContext, AttemptResult, EffectAction, OtherStep } from './step-spec.js';
import { titleOf } from './step-title.js';
import { attemptFile } from '../journal/step-files.js';

/** The least time a step is given when it is repeated after a crash, in milliseconds. */
const LEAST_REMAINING_MS = 60_000;

/** How an effect came to rest. */
export type EffectEnd =
  | { readonly type: 'outcome'; readonly outcome: Outcome; readonly attempt: number; readonly spend: Spend; readonly startedAt: number; readonly exitCode?: number; readonly redacted?: true }
  /** Stopped, without an outcome: it is repeated when the run is resumed. */
  | { readonly type: 'stopped' }
  /** In flight when the process died, and a person must decide. */
  | { readonly type: 'held' };

export interface EffectRunnerOptions {
  readonly facts: SessionFacts;
  readonly account: Account;
  readonly ledger: Ledger;
  /** What a person decided about a step that `onCrash: 'park'` held. */
  readonly release: { readonly stepId: string; readonly decision: 'rerun' | 'fail' } | undefined;
}

interface Running {
  readonly step: LiveStep;
  readonly attempt: number;
  readonly began: number;
  /** Of earlier attempts. */
  readonly before: Spend;
  /** What the lost attempts that this one goes on from used of its time limit. */
  readonly elapsedBefore: number;
  /** Milliseconds spent waiting for a turn, and since when it waits now. */
  idle: number;
  idleSince: number | undefined;
  progress: StepProgress;
}

/**
 * Executes effects, attempt by attempt. Owns the start and progress records of a run.
 *
 * Invariants: no attempt begins before its start record is committed; every progress record holds all that is known, so an attempt that was lost
 * with its process is charged from the last one; every end of an attempt reaches the account exactly once.
 */
export class EffectRunner {
  readonly #options: EffectRunnerOptions;
  readonly #running = new Map<number, Running>();
  readonly #ends = new WeakMap<LiveStep, Promise<EffectEnd>>();

  constructor(options: EffectRunnerOptions) {
    this.#options = options;
  }

  get running(): readonly LiveStep[] {
    return [...this.#running.values()].map(({ step }) => step);
  }

  /** Resolves once the step is not being executed any more. */
  async ended(step: LiveStep): Promise<void> {
    await this.#ends.get(step)?.catch(() => undefined);
  }

  /** Executes a step until it has an outcome. Rejects only with an error of the journal. */
  run(step: LiveStep, action: EffectAction): Promise<EffectEnd> {
    const end = this.#run(step, action);
    this.#ends.set(step, end);
    return end;
  }

  async #run(step: LiveStep, action: EffectAction): Promise<EffectEnd> {
    const lost = this.#options.ledger.row(step.seq);
    // A step that had only failed and waited for its next attempt was doing nothing when the process died.
    const inFlight = lost !== undefined && lost.attempt > (lost.progress?.failedAttempt ?? 0);
    const decided = inFlight ? this.#decide(step, action, lost) : undefined;
    if (decided !== undefined) return decided;
    let attempt = (lost?.attempt ?? 0) + 1;
    let previous = lost?.progress;
    let failures = previous?.failures ?? 0;
    let spent = previous?.spend ?? NOTHING_SPENT;
    let previousFailure: StepFailure | undefined;
    // An attempt that died with its process did not last until somebody resumed the run.
    const startedAt = inFlight ? this.#clock.now() : (lost?.startedAt ?? this.#clock.now());
    if (!inFlight) await this.#pause(step, Math.min((previous?.retryAt ?? 0) - this.#clock.now(), previous?.retryAfter ?? Infinity));

    for (let resumed = inFlight; ; resumed = false, attempt += 1) {
      if (step.stop.signal.aborted) return { type: 'stopped' };
      const refusal = await this.#options.account.refusal(step.id, spent);
      if (refusal !== undefined) return { type: 'outcome', outcome: { ok: false, error: failureOf(refusal) }, attempt: Math.max(1, attempt - 1), spend: spent, startedAt };
      const result = await this.#attempt({ step, action, attempt, previous, previousFailure, spent, resumed });
      if (result === 'stopped') return { type: 'stopped' };
      spent = result.spent;
      const { outcome } = result;
      const retry = outcome.ok ? undefined : action.retry?.(outcome.error, failures + 1);
      if (outcome.ok || retry === undefined) {
        return { type: 'outcome', outcome, attempt, spend: spent, startedAt, ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }), ...(result.redacted === true ? { redacted: true as const } : {}) };
      }
      failures += 1;
      previousFailure = outcome.error;
      previous = {
        ...result.progress, processes: [], failures, failedAttempt: attempt, spend: spent, retryAt: this.#clock.now() + retry.delayMs, retryAfter: retry.delayMs,
        ...(action.timeoutSpansAttempts === true ? { elapsed: result.elapsed } : {}),
      };
      await this.#write(step, attempt, previous);
      this.#options.facts.emit({ type: 'step.retrying', stepId: step.id, attempt: attempt + 1, delayMs: retry.delayMs, error: outcome.error });
      await this.#pause(step, retry.delayMs);
    }
  }

  /** Records what every running attempt has cost so far; called by the runtime at least every 10 s. */
  async recordProgress(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => {
      const progress = this.#progressOf(running);
      this.#options.facts.emit({ type: 'step.progress', stepId: running.step.id, spend: progress.spend });
      return this.#write(running.step, running.attempt, progress);
    }));
  }

  get #clock() {
    return this.#options.facts.services.clock;
  }

  async #attempt(args: {
    readonly step: LiveStep; readonly action: EffectAction; readonly attempt: number; readonly previous: StepProgress | undefined;
    readonly previousFailure: StepFailure | undefined; readonly spent: Spend; readonly resumed: boolean;
  }): Promise<'stopped' | (AttemptResult & { readonly spent: Spend; readonly elapsed: number; readonly progress: StepProgress })> {
    const { step, action, attempt } = args;
    const { facts, ledger, account } = this.#options;
    const started = {
      runId: facts.claim.runId, epoch: facts.claim.epoch, seq: step.seq, stepId: step.id, kind: step.spec.kind, fingerprint: step.fingerprint, attempt, at: this.#clock.now(),
      ...(step.label === undefined ? {} : { label: step.label }),
      ...(step.request === undefined ? {} : { request: step.request }),
    };
    fault('executor.started.before');
    await facts.services.writer.started(started, { durable: false });
    fault('executor.started.after');
    ledger.noteStarted(started);
    facts.emit({
      type: 'step.started', stepId: step.id, kind: step.spec.kind, title: titleOf({ kind: step.spec.kind, ...(step.label === undefined ? {} : { label: step.label }), ...(step.request === undefined ? {} : { request: step.request }) }), attempt,
      ...(step.label === undefined ? {} : { label: step.label }), ...(step.scope.phase === undefined ? {} : { phase: step.scope.phase }),
    });
    const running: Running = {
      step, attempt, began: this.#clock.monotonic(), before: args.spent, elapsedBefore: args.resumed || action.timeoutSpansAttempts === true ? (args.previous?.elapsed ?? 0) : 0, idle: 0, idleSince: undefined,
      progress: carried(args.previous),
    };
    this.#running.set(step.seq, running);
    let result: AttemptResult;
    try {
      const context = this.#context(running, args);
      fault('executor.effect.inside');
      result = await action.execute(context);
    } catch (error) {
      result = { outcome: { ok: false, error: failureOf(error) } };
    }
    // Here, so that nobody who is told of a failed attempt can pass a secret on.
    if (result.redacted !== true) result = { ...result, outcome: redactOutcome(facts.services.redact, result.outcome), redacted: true };
    fault('executor.effect.after');
    this.#running.delete(step.seq);
    const charge: Spend = { tokens: 0, microDollars: 0, ...result.spend, wallclock: this.#busyMs(running) };
    account.charge(charge);
    const spent = addSpend(args.spent, charge);
    if (step.stop.signal.aborted && !result.outcome.ok) {
      // Stopped by us: not an outcome. What it cost and where it can be taken up stays known.
      await this.#write(step, attempt, { ...this.#progressOf(running), processes: [], spend: spent });
      return 'stopped';
    }
    return { ...result, spent, elapsed: running.elapsedBefore + charge.wallclock, progress: running.progress };
  }

  #context(running: Running, args: { readonly action: EffectAction; readonly previous: StepProgress | undefined; readonly previousFailure: StepFailure | undefined; readonly spent: Spend; readonly resumed: boolean }): AttemptContext {
    const { facts } = this.#options;
    const { step, attempt } = running;
    const { services } = facts;
    return {
      run: facts.run,
      stepId: step.id,
      marker: { runId: facts.run.runId, stepId: step.id, attempt },
      attempt,
      clock: services.clock,
      ids: services.ids,
      shell: services.shell,
      redact: services.redact,
      signal: step.stop.signal,
      ...(args.action.timeoutMs === undefined ? {} : { timeoutMs: remaining(args.action.timeoutMs, running.elapsedBefore) }),
      ...(args.previous === undefined ? {} : { previous: args.previous }),
      ...(args.previousFailure === undefined ? {} : { previousFailure: args.previousFailure }),
      resumed: args.resumed,
      progress: (update) => {
        running.progress = { ...running.progress, ...update };
        // Awaiting it would hold the effect up; a journal that cannot be written shows at the outcome.
        this.#write(step, attempt, this.#progressOf(running)).catch(() => undefined);
      },
      turn: async (acquire) => {
        running.idleSince = this.#clock.monotonic();
        try {
          return await acquire();
        } finally {
          running.idle += this.#clock.monotonic() - running.idleSince;
          running.idleSince = undefined;
        }
      },
      stepsSince: (at) => this.#options.ledger.rows().flatMap((row) => (row.seq === step.seq ? [] : otherStep(row, at))),
      output: (stream, text) => facts.emit({ type: 'step.output', stepId: step.id, stream, text }),
      agent: (event) => facts.emit({ type: 'step.agent', stepId: step.id, event }),
      warn: (code, text) => facts.warn(code, text, step.id),
      directory: (options) => services.machine.stepDirectory({ runDir: facts.run.cwd, ...options }),
      file: (suffix) => attemptFile({ dataDir: facts.run.dataDir, runId: facts.run.runId, stepId: step.id, attempt, suffix }),
    };
  }

  /** Milliseconds that an attempt has been at work: waiting for its turn charges nothing. */
  #busyMs({ began, idle, idleSince }: Running): number {
    const now = this.#clock.monotonic();
    return Math.max(0, Math.round(now - began - idle - (idleSince === undefined ? 0 : now - idleSince)));
  }

  /** All that must be known of a running attempt if the process dies now. */
  #progressOf(running: Running): StepProgress & { readonly spend: Spend } {
    const wallclock = this.#busyMs(running);
    return { ...running.progress, spend: addSpend(running.before, { ...NOTHING_SPENT, ...running.progress.spend, wallclock }), elapsed: running.elapsedBefore + wallclock };
  }

  #write(step: LiveStep, attempt: number, progress: StepProgress): Promise<void> {
    const { claim, services } = this.#options.facts;
    return services.writer.progressed({ runId: claim.runId, epoch: claim.epoch, seq: step.seq, attempt, progress });
  }

  /** What a step that was in flight when the process died comes to, unless it is repeated. */
  #decide(step: LiveStep, action: EffectAction, lost: StepRecord): EffectEnd | undefined {
    const { release } = this.#options;
    const released = release?.stepId === step.id ? release.decision : undefined;
    const onCrash = released ?? action.onCrash ?? 'rerun';
    if (onCrash === 'park') return { type: 'held' };
    return onCrash === 'fail' ? this.#lostForGood(step, lost) : undefined;
  }

  #lostForGood(step: LiveStep, lost: StepRecord): EffectEnd {
    const error = new FlowsError('crashed', `${step.id} was running when its process died, and may have taken effect or not.`, {
      hint: "The step says onCrash: 'fail'. Look at its effect, then run the flow again.",
      completionReason: 'crashed',
    });
    return { type: 'outcome', outcome: { ok: false, error: failureOf(error) }, attempt: lost.attempt, spend: lost.progress?.spend ?? NOTHING_SPENT, startedAt: lost.startedAt ?? this.#clock.now() };
  }

  async #pause(step: LiveStep, ms: number): Promise<void> {
    if (ms <= 0 || step.stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimer(ms, done);
      step.stop.signal.addEventListener('abort', done, { once: true });
      function done(): void {
        timer.cancel();
        step.stop.signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}

/** A row of a step that may have written files after `at`. */
function otherStep(row: StepRecord, at: number): OtherStep[] {
  if ((row.kind !== 'run' && row.kind !== 'agent') || row.startedAt === undefined || (row.endedAt !== undefined && row.endedAt <= at)) return [];
  const cwd = (row.request as { readonly cwd?: unknown } | undefined)?.cwd;
  return [{ stepId: row.stepId, kind: row.kind, ...(typeof cwd === 'string' ? { cwd } : {}) }];
}

/** What of the last progress record holds for the next attempt as well: a session survives, processes do not. */
function carried(previous: StepProgress | undefined): StepProgress {
  const { sessionId, failures, failedAttempt } = previous ?? {};
  return { ...(sessionId === undefined ? {} : { sessionId }), ...(failures === undefined ? {} : { failures }), ...(failedAttempt === undefined ? {} : { failedAttempt }) };
}

/** What is left of a time limit after a crash: the rest, but at least a minute, and never more than the whole. */
export function remaining(timeoutMs: number, elapsedMs: number): number {
  return Math.min(timeoutMs, Math.max(LEAST_REMAINING_MS, timeoutMs - elapsedMs));
}
