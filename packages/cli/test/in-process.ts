import { commandLine } from '../src/command-line.js';
import type { Io, Output } from '../src/io.js';

/** A reader of everything that is written. */
class Captured implements Output {
  readonly isTerminal = false;
  readonly columns = 100;
  readonly rows = 50;
  readonly gone = new AbortController().signal;
  readonly failure = undefined;
  text = '';

  write(text: string): void {
    this.text += text;
  }

  flushed(): Promise<void> {
    return Promise.resolve();
  }
}

export interface Called {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls a command within this process, for commands that execute no run: much faster than a process of its own. */
export async function call(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Called> {
  const [stdout, stderr] = [new Captured(), new Captured()];
  const io: Io = { env: { PATH: process.env['PATH'], ...env }, cwd, stdout, stderr, inputIsTerminal: false, now: () => Date.now() };
  const status = await commandLine({ args, version: '1.2.3', io });
  return { status, stdout: stdout.text, stderr: stderr.text };
}

/** As {@link call} with `--json`, which must print exactly one document. */
export async function document(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown> & { readonly exit: number }> {
  const { status, stdout, stderr } = await call(cwd, [...args, '--json'], env);
  if (!/^\{[^\n]*\}\n$/.test(stdout)) throw new Error(`not one document: ${JSON.stringify(stdout)}\n${stderr}`);
  return { ...(JSON.parse(stdout) as Record<string, unknown>), exit: status };
}
