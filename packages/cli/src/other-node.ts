import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { constants as os } from 'node:os';
import { isAbsolute } from 'node:path';

export interface OtherNode {
  /** What `FLOWS_AUTHORED_NODE` says. */
  readonly node: string;
  /** Absolute path of the launcher. */
  readonly launcher: string;
  readonly args: readonly string[];
  readonly refuse: (text: string, hint: string) => void;
}

const HINT = 'Set FLOWS_AUTHORED_NODE to the absolute path of a node executable, or unset it.';

/** Runs this command again under another Node and ends as it ends. */
export async function runUnder({ node, launcher, args, refuse }: OtherNode): Promise<void> {
  if (!isAbsolute(node)) return refuse(`FLOWS_AUTHORED_NODE is not an absolute path: ${node}`, HINT);
  try {
    accessSync(node, constants.X_OK);
  } catch (error) {
    return refuse(`FLOWS_AUTHORED_NODE cannot be executed: ${node} (${codeOf(error)}).`, HINT);
  }

  const { FLOWS_AUTHORED_NODE: _, ...env } = process.env;
  const child = spawn(node, [...process.execArgv, launcher, ...args], { stdio: 'inherit', env });

  // The terminal sends Ctrl-C to both processes: this one only has to outlive the other. The rest reaches this one alone.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));

  await new Promise<void>((resolve) => {
    child.on('error', (error) => {
      refuse(`FLOWS_AUTHORED_NODE cannot be executed: ${node} (${codeOf(error)}).`, HINT);
      resolve();
    });
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? (signal === null ? 1 : 128 + os.signals[signal]);
      resolve();
    });
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
