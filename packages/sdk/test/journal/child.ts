import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { nodeForOthers } from 'test-tools';
import { onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('children/journal-child.mjs', import.meta.url));

export interface ChildOptions {
  readonly options?: object;
  readonly fault?: string;
  /** Runs as this user and group instead of root. */
  readonly uid?: number;
}

export interface ChildEnd {
  readonly signal: NodeJS.Signals | null;
  readonly exitCode: number | null;
  readonly lines: readonly unknown[];
  readonly stderr: string;
}

/** A child of `children/journal-child.mjs`, with its standard input open. */
export function startChild(what: string, path: string, { options = {}, fault, uid }: ChildOptions = {}): { readonly process: ChildProcess; readonly firstLine: Promise<unknown>; readonly end: Promise<ChildEnd> } {
  const child = spawn(uid === undefined ? process.execPath : nodeForOthers(), [SCRIPT, what, path, JSON.stringify(options)], {
    env: { ...process.env, ...(fault === undefined ? {} : { RELAYFLOWS_FAULT: fault }) },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const lines: unknown[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(JSON.parse(line)));
  const end = new Promise<ChildEnd>((resolve, reject) => child.on('error', reject).on('close', (exitCode, signal) => resolve({ signal, exitCode, lines, stderr })));
  const firstLine = new Promise<unknown>((resolve, reject) => {
    reader.once('line', (line) => resolve(JSON.parse(line)));
    end.then(() => reject(new Error(`The child ended without a line: ${stderr}`)), reject);
  });
  firstLine.catch(() => undefined);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await end.catch(() => undefined);
  });
  return { process: child, firstLine, end };
}

export async function runChild(what: string, path: string, options: ChildOptions = {}): Promise<ChildEnd> {
  const child = startChild(what, path, options);
  child.process.stdin?.end();
  return child.end;
}

/** A folder that lasts until the end of the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
