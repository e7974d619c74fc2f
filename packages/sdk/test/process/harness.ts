import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { ProcessOutcome, ProcessRequest, StepMarker, SupervisedProcess } from '../../src/process/port.js';
import { systemShell } from '../../src/process/shell.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone after the test; its real path. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflow-process-')));
  folders.push(folder);
  return folder;
}

/** A marker nobody else has. */
export function marker(): StepMarker {
  return { runId: `r${randomUUID().slice(0, 8)}`, stepId: 'run-1', attempt: 1 };
}

export const PATH = process.env['PATH'] ?? '/usr/bin:/bin';

type Options = Partial<Omit<ProcessRequest, 'file' | 'args'>>;

export function start(command: string, options: Options = {}): SupervisedProcess {
  return systemShell.run({ cwd: tmpdir(), env: { PATH }, marker: marker(), sweep: 'group', ...options, command });
}

export function run(command: string, options: Options = {}): Promise<ProcessOutcome> {
  return start(command, options).outcome;
}

/** Waits until something holds; what the system needs for it depends on how busy it is. */
export async function eventually<T>(look: () => T | undefined | false, what = 'the condition'): Promise<T> {
  for (const until = Date.now() + 120_000; Date.now() < until;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  throw new Error(`Waited in vain for ${what}.`);
}

/** The number a process wrote into a file. */
export function pidIn(file: string): Promise<number> {
  return eventually(() => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text.endsWith('\n') && Number.parseInt(text, 10);
  }, `a process number in ${file}`);
}

/**
 * The number in a file of a process that becomes `sleep 600`, once it has: while a process changes its program, nobody can see its environment and
 * its command line, so a sweep of that moment could miss it or not tell what it is.
 */
export async function sleeperIn(file: string, command = 'sleep 600'): Promise<number> {
  const pid = await pidIn(file);
  await eventually(() => ps('args', pid) === command, `"${command}" in process ${pid}`);
  return pid;
}

/** A supervised process that sleeps for ever, and does so already. */
export async function startSleeper(options: Options = {}): Promise<SupervisedProcess & { readonly pid: number }> {
  const child = start('exec sleep 600', options);
  const pid = child.identity?.pid ?? 0;
  await eventually(() => ps('args', pid) === 'sleep 600', `"sleep 600" in process ${pid}`);
  return Object.assign(child, { pid });
}

/** What `ps` says of a process, not the code under test; empty when it is gone. */
export function ps(column: string, pid: number): string {
  return spawnSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}

export function isRunning(pid: number): boolean {
  const state = ps('stat', pid);
  return state !== '' && !state.startsWith('Z');
}

export async function expectGone(...files: readonly string[]): Promise<void> {
  for (const file of files) expect(isRunning(await pidIn(file)), `the process in ${file} is running`).toBe(false);
}
