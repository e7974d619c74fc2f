import { spawn, type ChildProcess } from 'node:child_process';
import { listen, unlisten } from './abort-hub.js';
import { identityOf, ownIdentity, type ProcessIdentity } from './identity.js';
import { InputPipe } from './input-pipe.js';
import { NOTHING_FOUND, type SweepResult } from './ladder.js';
import { register, unregister, type LiveProcess } from './live.js';
import { markerVariables, ofStep } from './marker.js';
import { OutputPipe } from './output-pipe.js';
import { prepareNext } from './pipes.js';
import type { ProcessOutcome, ProcessRequest, StepMarker, StopReason, SupervisedProcess } from './port.js';
import { exists, send } from './signals.js';
import { spawnFailure, type SpawnFailure } from './spawn-failure.js';
import { GROUP_GRACE_MS, MARKED_GRACE_MS, stopGroup, sweepMarked } from './sweep.js';

const DRAIN_MS = 250;
/** How long the end of a leader may take to be reported once nobody of its group is left. */
const REPORT_MS = 1_000;

/**
 * Starts a process in a group of its own and answers for everything that comes of it: its output, its end, and that nothing it started outlives it.
 *
 * Never throws and never rejects for what the system or the process does: a process that could not be started is an outcome too. Callbacks of the
 * request must not throw.
 */
export function superviseProcess(request: ProcessRequest): SupervisedProcess {
  return start(request.file, request.args, request);
}

/** The same with the program apart: a shell makes it up for every call and need not copy the request. */
export function start(file: string, args: readonly string[], request: Conditions): SupervisedProcess {
  return new Supervision(file, args, request);
}

/** A request without its program. */
export type Conditions = Omit<ProcessRequest, 'file' | 'args'>;

/**
 * One process from its start to its outcome.
 *
 * 1. `#finish` is called exactly once, whatever happens.
 * 2. The first cause wins: after the leader's exit a stop is no cause any more; after a stop the exit is a consequence.
 * 3. A step that ends well takes the short way: exit, both streams ended, nobody left in the group, outcome; no timer, no look at the process table.
 */
class Supervision implements SupervisedProcess, LiveProcess {
  readonly outcome: Promise<ProcessOutcome>;
  readonly #request: Conditions;
  readonly #began = performance.now();
  #resolve!: (outcome: ProcessOutcome) => void;
  #identity: ProcessIdentity | undefined;
  #pid = 0;
  #child: ChildProcess | undefined;
  #input: InputPipe | undefined;
  #stdout: OutputPipe | undefined;
  #stderr: OutputPipe | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #drain: NodeJS.Timeout | undefined;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  #stopped: StopReason | undefined;
  /** Called at every exit and end of a stream while somebody waits for them. */
  #changed: (() => void) | undefined;

  constructor(file: string, args: readonly string[], request: Conditions) {
    this.#request = request;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (request.signal?.aborted === true) {
      this.#stopped = 'canceled';
      this.#finish(NOTHING_FOUND);
    } else {
      this.#start(file, args);
    }
  }

  /** Read when somebody asks: the start time costs a look at the process, which is only sure to be this one while it lives. */
  get identity(): ProcessIdentity | undefined {
    if (this.#pid === 0) return undefined;
    return (this.#identity ??= (this.#exit === undefined ? identityOf(this.#pid) : undefined) ?? { pid: this.#pid, startTime: '', bootId: ownIdentity().bootId });
  }

  get marker(): StepMarker {
    return this.#request.marker;
  }

  stop(reason: StopReason): void {
    if (this.#stopped !== undefined || this.#exit !== undefined || this.#pid === 0) return;
    this.#stopped = reason;
    this.#disarm();
    void this.#stopTree();
  }

  killNow(): void {
    send(-this.#pid, 'SIGKILL');
    this.stop('host_exit');
  }

  write(text: string): void {
    this.#input?.write(text);
  }

  closeInput(): void {
    this.#input?.close();
  }

  #start(file: string, args: readonly string[]): void {
    const { cwd, input, onSpawn } = this.#request;
    const env = { ...this.#request.env, ...markerVariables(this.#request.marker, this.#request.env) };
    const fail = (error: unknown): void => this.#finish(NOTHING_FOUND, spawnFailure(error, { file, cwd, env }));
    let child: ChildProcess;
    try {
      this.#input = new InputPipe(input);
      this.#stdout = new OutputPipe(this.#request.stdout, this.#onStreamEnd);
      this.#stderr = new OutputPipe(this.#request.stderr, this.#onStreamEnd);
      child = spawn(file, args, { cwd, env, detached: true, stdio: [this.#input.stdio, this.#stdout.stdio, this.#stderr.stdio] });
    } catch (error) {
      fail(error);
      return;
    }
    if (child.pid === undefined) {
      child.once('error', fail);
      return;
    }
    this.#pid = child.pid;
    this.#child = child;
    register(this);
    child.once('exit', this.#onExit);
    this.#input.attach(child.stdin);
    this.#stdout.attach(child.stdout);
    this.#stderr.attach(child.stderr);
    this.#arm();
    prepareNext();
    if (onSpawn !== undefined && this.identity !== undefined) onSpawn(this.identity);
  }

  #arm(): void {
    const { signal, timeoutMs } = this.#request;
    if (signal !== undefined) listen(signal, this.#onAbort);
    if (timeoutMs !== undefined) this.#deadline = setTimeout(() => this.stop('timeout'), timeoutMs);
  }

  #disarm(): void {
    if (this.#request.signal !== undefined) unlisten(this.#request.signal, this.#onAbort);
    clearTimeout(this.#deadline);
  }

  readonly #onAbort = (): void => this.stop('canceled');

  readonly #onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
    this.#exit = { code, signal };
    this.#changed?.();
    if (this.#stopped !== undefined) return;
    this.#disarm();
    if (this.#drained) {
      this.#settle(false);
      return;
    }
    this.#drain = setTimeout(() => {
      this.#drain = undefined;
      this.#settle(true);
    }, this.#request.drainMs ?? DRAIN_MS);
  };

  readonly #onStreamEnd = (): void => {
    this.#changed?.();
    if (this.#drain === undefined || !this.#drained) return;
    clearTimeout(this.#drain);
    this.#drain = undefined;
    this.#settle(false);
  };

  get #drained(): boolean {
    return this.#stdout?.ended !== false && this.#stderr?.ended !== false;
  }

  /** The leader ended by itself. `held`: somebody still holds its output, so even an empty group is no proof that nobody is left. */
  #settle(held: boolean): void {
    if (held || this.#request.sweep === 'environment' || this.#exit?.signal !== null || exists(-this.#pid)) {
      void this.#sweepRest(held);
    } else {
      this.#finish(NOTHING_FOUND);
    }
  }

  async #sweepRest(held: boolean): Promise<void> {
    if (held) this.#abandonOutput();
    const group = await stopGroup(this.#pid, this.#graceMs, this.#began);
    const thorough = held || this.#request.sweep === 'environment' || this.#exit?.signal !== null;
    this.#finish(join(group, thorough ? await this.#sweepMarked() : NOTHING_FOUND));
  }

  async #stopTree(): Promise<void> {
    const group = await stopGroup(this.#pid, this.#graceMs, this.#began);
    if (!group.survivors.includes(this.#pid)) await this.#until(() => this.#exit !== undefined, REPORT_MS);
    const marked = await this.#sweepMarked();
    await this.#until(() => this.#drained, this.#request.drainMs ?? DRAIN_MS);
    this.#finish(join(group, marked));
  }

  #sweepMarked(): Promise<SweepResult> {
    return sweepMarked(ofStep(this.#request.marker), Math.min(this.#graceMs, MARKED_GRACE_MS), this.#began);
  }

  get #graceMs(): number {
    return this.#request.graceMs ?? GROUP_GRACE_MS;
  }

  async #until(done: () => boolean, ms: number): Promise<void> {
    if (done()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#changed = () => {
        if (!done()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#changed = undefined;
  }

  #abandonOutput(): void {
    this.#stdout?.abandon();
    this.#stderr?.abandon();
  }

  #finish(swept: SweepResult, spawnError?: SpawnFailure): void {
    unregister(this);
    this.#abandonOutput();
    this.#input?.abandon();
    // A leader that even KILL does not end must not keep the host alive.
    if (this.#exit === undefined) this.#child?.unref();
    const outcome: { -readonly [Name in keyof ProcessOutcome]: ProcessOutcome[Name] } = {
      durationMs: Math.round(performance.now() - this.#began),
      stdout: this.#stdout?.result() ?? NO_OUTPUT,
      stderr: this.#stderr?.result() ?? NO_OUTPUT,
      leftRunning: this.#stopped === undefined ? swept.stopped : [],
      survivors: swept.survivors,
    };
    const inputError = this.#input?.error;
    if (typeof this.#exit?.code === 'number') outcome.exitCode = this.#exit.code;
    if (typeof this.#exit?.signal === 'string') outcome.signal = this.#exit.signal;
    if (spawnError !== undefined) outcome.spawnError = spawnError;
    if (this.#stopped !== undefined) outcome.stopped = this.#stopped;
    if (inputError !== undefined) outcome.inputError = inputError;
    this.#resolve(outcome);
  }
}

const NO_OUTPUT = Object.freeze({ text: '', dropped: 0 });

function join(a: SweepResult, b: SweepResult): SweepResult {
  if (a.stopped.length === 0 && a.survivors.length === 0) return b;
  const known = new Set(a.stopped.map(({ pid }) => pid));
  return {
    stopped: [...a.stopped, ...b.stopped.filter(({ pid }) => !known.has(pid))],
    survivors: [...new Set([...a.survivors, ...b.survivors])],
  };
}
