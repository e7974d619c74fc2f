import { spawn } from 'node:child_process';

export interface Execution {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Default: the root folder. */
  readonly cwd?: string;
  readonly input?: string;
  /** Ends the command early, as its time limit does. */
  readonly signal?: AbortSignal;
}

export interface Executed {
  /** Absent when the command was not started, or ended by a signal. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it could not be started: `ENOENT`, `EACCES`, … */
  readonly notStarted?: string;
  /** It was ended because its time was over, or because the caller gave up. */
  readonly timedOut: boolean;
}

/** Runs a command. Never rejects. */
export type Execute = (execution: Execution) => Promise<Executed>;

/** How long a command may go on after it was asked to end; git takes away what it has half made. */
const GRACE_MS = 3_000;
/** How long output is waited for after the command has ended: something it left in the background may hold the pipe open. */
const LAST_OUTPUT_MS = 500;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Runs a command without a shell, in a process group of its own. Not from the server's own folder, which may be gone. */
export const execute: Execute = async (execution) => {
  try {
    return await run(execution);
  } catch (error) {
    // Arguments that are too long, or hold what no argument can. The error itself repeats them.
    return { stdout: '', stderr: '', notStarted: (error as NodeJS.ErrnoException).code ?? 'unknown', timedOut: false };
  }
};

const run: Execute = (execution) => new Promise((resolve) => {
  const child = spawn(execution.file, execution.args, { cwd: execution.cwd ?? '/', env: execution.env, stdio: ['pipe', 'pipe', 'pipe'], detached: true, windowsHide: true });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let bytes = 0;
  let timedOut = false;
  let kill: NodeJS.Timeout | undefined;

  const end = (): void => {
    if (timedOut) return;
    timedOut = true;
    signalGroup(child.pid, 'SIGTERM');
    kill = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
  };
  const keep = (kept: Buffer[]) => (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) end();
    else kept.push(chunk);
  };
  const timer = setTimeout(end, execution.timeoutMs);
  execution.signal?.addEventListener('abort', end);
  if (execution.signal?.aborted === true) end();

  let settled = false;
  const settle = (rest: { readonly exitCode?: number; readonly notStarted?: string }): void => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    clearTimeout(kill);
    execution.signal?.removeEventListener('abort', end);
    child.stdout.destroy();
    child.stderr.destroy();
    resolve({ ...rest, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8'), timedOut });
  };
  child.stdout.on('data', keep(out));
  child.stderr.on('data', keep(err));
  // A command that failed early closes its input; its exit status says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(execution.input ?? '');
  child.on('error', (error: NodeJS.ErrnoException) => settle({ notStarted: error.code ?? 'unknown' }));
  child.on('exit', (code) => {
    const ended = code === null ? {} : { exitCode: code };
    child.on('close', () => settle(ended));
    setTimeout(() => settle(ended), LAST_OUTPUT_MS);
  });
});

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}
