import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLines } from 'test-tools';
import { afterEach } from 'vitest';

const SCRIPTED_AGENT = fileURLToPath(new URL('scripted-agent', import.meta.url));

/** One thing the scripted agent does; see the head of `scripted-agent`. */
export type Act = Readonly<Record<string, unknown>>;

export interface Script {
  readonly signedIn?: boolean;
  readonly auth?: readonly Act[];
  readonly identity?: readonly Act[];
  readonly split?: boolean;
  readonly crlf?: boolean;
  readonly withoutExecute?: boolean;
  readonly turns?: readonly (readonly Act[])[];
}

export interface LogEntry {
  readonly asked?: 'auth' | 'identity';
  readonly task?: string;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly pid?: number;
  readonly detached?: number;
  readonly ignored?: string;
  readonly hangs?: true;
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder, removed after the test. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-agents-')));
  folders.push(path);
  return path;
}

/** A scripted agent in a folder of its own. */
export function scriptedAgent(script: Script, name = 'agent'): { readonly path: string; log(): LogEntry[] } {
  const home = join(folder(), 'bin');
  mkdirSync(home);
  const path = join(home, name);
  copyFileSync(SCRIPTED_AGENT, path);
  writeFileSync(`${path}.json`, JSON.stringify({ turns: [[{ say: 'done' }]], ...script }));
  return {
    path,
    log: () => jsonLines(`${path}.log`),
  };
}

/** Whether a process lives; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z');
  } catch {
    return false;
  }
}

/**
 * Does something under a time limit in the middle of which it is to be, and again under a longer one where it had not come so far: how long a program
 * takes to start is no business of a test about what becomes of it.
 */
export async function withinTime<T>(attempt: (limitMs: number) => Promise<T>, cameSoFar: (done: T) => boolean): Promise<T> {
  for (let limitMs = 1_000; ; limitMs *= 3) {
    const done = await attempt(limitMs);
    if (cameSoFar(done) || limitMs > 20_000) return done;
  }
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
