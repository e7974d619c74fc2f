import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ChildResult {
  /** From before the spawn until the process has exited. */
  readonly ms: number;
  /** From before the spawn until the first byte of standard output; `ms` when there was none. */
  readonly firstByteMs: number;
  readonly output: string;
}

interface ChildOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Expect the child to be killed by this signal instead of ending with 0. */
  readonly killedBy?: NodeJS.Signals;
}

/** Runs Node with arguments to its end, and times it. */
export function spawned(args: readonly string[], options: ChildOptions = {}): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { cwd: options.cwd, env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    let firstByteMs: number | undefined;
    let ms = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      firstByteMs ??= performance.now() - started;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => { errors += text; });
    child.once('error', reject);
    child.once('exit', () => { ms = performance.now() - started; });
    child.once('close', (code, signal) => {
      const expected = options.killedBy === undefined ? code === 0 : signal === options.killedBy;
      if (expected) resolve({ ms, firstByteMs: firstByteMs ?? ms, output });
      else reject(new Error(`node ${args.join(' ')} ended with ${code ?? signal}:\n${errors}${output}`));
    });
  });
}

/** The compiled file of a child program in this folder. */
export function childProgram(name: string): string {
  return fileURLToPath(new URL(`${name}.js`, import.meta.url));
}
