import { spawn, type ChildProcess } from 'node:child_process';
import type { ProcessIdentity } from './identity.js';
import { InputPipe } from './input-pipe.js';
import { NOTHING_FOUND, type SweepResult } from './ladder.js';
import { register, unregister, type LiveProcess } from './live.js';
import { mark, ofStep } from './marker.js';
import { OutputPipe } from './output-pipe.js';
import type { ProcessOutcome, ProcessRequest, StepMarker, StopReason, SupervisedProcess } from './port.js';
import { processTable } from './process-table.js';
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
  return new Supervision(request);
}

/**
 * One process from its start to its outcome.
 *
 * 1. `#finish` is called exactly once, whatever happens.
 * 2. The first cause wins: after the leader's exit a stop is no cause any more; after a stop the exit is a consequence.
 * 3. A step that ends well takes the short way: exit, both streams ended, nobody left in the group, outcome; no timer, no look at the process table.
 */
class Supervision implements SupervisedProcess, LiveProcess {
  readonly outcome: Promise<ProcessOutcome>;
  readonly #request: ProcessRequest;
  readonly #began = performance.now();
  #resolve!: (outcome: ProcessOutcome) => void;
  #identity: ProcessIdentity | undefined;
  #pid = 0;
  #input: InputPipe | undefined;
  #stdout: OutputPipe | undefined;
  #stderr: OutputPipe | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #drain: NodeJS.Timeout | undefined;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  #stopped: StopReason | undefined;
  /** Called at every exit and end of a stream while somebody waits for them. */
  #changed: (() => void) | undefined;

  constructor(request: ProcessRequest) {
    this.#request = request;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (request.signal?.aborted === true) {
      this.#stopped = 'canceled';
      this.#finish(NOTHING_FOUND);
    } else {
      this.#start();
    }
  }

  get identity(): ProcessIdentity | undefined {
    return this.#identity;
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

  #start(): void {
    const { file, args, cwd, input, onSpawn } = this.#request;
    const env = { ...this.#request.env };
    mark(env, this.#request.marker);
    let child: ChildProcess;
    try {
      this.#input = new InputPipe(input);
      this.#stdout = new OutputPipe(this.#request.stdout, this.#onStreamEnd);
      this.#stderr = new OutputPipe(this.#request.stderr, this.#onStreamEnd);
      child = spawn(file, args, { cwd, env, detached: true, stdio: [this.#input.stdio, this.#stdout.stdio, this.#stderr.stdio] });
    } catch (error) {
      this.#finish(NOTHING_FOUND, spawnFailure(error, this.#request));
      return;
    }
    if (child.pid === undefined) {
      child.once('error', (error) => this.#finish(NOTHING_FOUND, spawnFailure(error, this.#request)));
      return;
    }
    this.#pid = child.pid;
    this.#identity = identityOfChild(child.pid);
    register(this);
    child.once('exit', this.#onExit);
    this.#input.attach(child.stdin);
    this.#stdout.attach(child.stdout);
    this.#stderr.attach(child.stderr);
    this.#arm();
    onSpawn?.(this.#identity);
  }

  #arm(): void {
    const { signal, timeoutMs } = this.#request;
    signal?.addEventListener('abort', this.#onAbort);
    if (timeoutMs !== undefined) this.#deadline = setTimeout(() => this.stop('timeout'), timeoutMs);
  }

  #disarm(): void {
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
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
    const { code = null, signal = null } = this.#exit ?? {};
    const inputError = this.#input?.error;
    this.#resolve({
      ...(code === null ? {} : { exitCode: code }),
      ...(signal === null ? {} : { signal }),
      ...(spawnError === undefined ? {} : { spawnError }),
      ...(this.#stopped === undefined ? {} : { stopped: this.#stopped }),
      ...(inputError === undefined ? {} : { inputError }),
      durationMs: Math.round(performance.now() - this.#began),
      stdout: this.#stdout?.result() ?? NO_OUTPUT,
      stderr: this.#stderr?.result() ?? NO_OUTPUT,
      leftRunning: this.#stopped === undefined ? swept.stopped : [],
      survivors: swept.survivors,
    });
  }
}

const NO_OUTPUT = Object.freeze({ text: '', dropped: 0 });

/** On Linux read at once, which is cheap while the child loads. Elsewhere it takes a process, so only when somebody asks. */
function identityOfChild(pid: number): ProcessIdentity {
  let known: string | undefined;
  const startTime = (): string => {
    const entry = processTable.find(pid);
    return entry === undefined || entry === 'hidden' ? '' : entry.startTime;
  };
  if (process.platform === 'linux') return { pid, startTime: startTime(), bootId: processTable.bootId() };
  return {
    pid,
    get startTime() {
      return (known ??= startTime());
    },
    bootId: processTable.bootId(),
  };
}

function join(a: SweepResult, b: SweepResult): SweepResult {
  if (a.stopped.length === 0 && a.survivors.length === 0) return b;
  const known = new Set(a.stopped.map(({ pid }) => pid));
  return {
    stopped: [...a.stopped, ...b.stopped.filter(({ pid }) => !known.has(pid))],
    survivors: [...new Set([...a.survivors, ...b.survivors])],
  };
}
