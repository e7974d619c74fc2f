import { spawn } from 'node:child_process';
import type { Environment } from './environment.js';

export interface ProgramRequest {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Environment;
  /** Written to standard input, which is closed in any case. */
  readonly input?: string;
  /** Milliseconds until it is killed. Default 60,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramResult {
  /** `undefined` when it was killed, or could not be started. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it could not be started: `ENOENT`. */
  readonly failure?: string;
}

/** Runs a small program to its end and keeps what it prints. Never rejects. */
export async function runProgram({ file, args, cwd, env, input, timeoutMs = 60_000, signal }: ProgramRequest): Promise<ProgramResult> {
  return await new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env: { ...env }, stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL', ...(signal === undefined ? {} : { signal }) });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8');
      child[name]?.on('data', (text: string) => (output[name] += text));
    }
    // A program that ends without reading its input is judged by how it ends.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.on('error', (error: NodeJS.ErrnoException) => resolve({ ...output, code: undefined, failure: error.code ?? error.message }));
    child.on('close', (code) => resolve({ ...output, code: code ?? undefined }));
  });
}
