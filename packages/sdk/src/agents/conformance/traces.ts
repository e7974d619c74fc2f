import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

/*
 * What is left of an agent. Looked for in two ways that do not depend on each other, and not with the product's own means: by the marker in the
 * environment, and by the directory a process works in, which finds one that has cleared its environment.
 */

/** The processes that are alive and belong to a run or work below a directory; `pid command` each. Empty where there is no `/proc`. */
export function remains(of: { readonly runId: string; readonly directories: readonly string[] }): readonly string[] {
  return processIds().filter((pid) => pid !== process.pid && lives(pid) && (carries(pid, of.runId) || worksIn(pid, of.directories))).map((pid) => `${pid} ${commandOf(pid)}`);
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

function carries(pid: number, runId: string): boolean {
  return read(`/proc/${pid}/environ`).split('\0').some((variable) => variable.startsWith('RELAYFLOW_SCOPE=') && variable.includes(`${runId}/`));
}

function worksIn(pid: number, directories: readonly string[]): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '');
    return directories.some((directory) => cwd === directory || cwd.startsWith(`${directory}/`));
  } catch {
    return false;
  }
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The processes that a process has started itself. Empty where there is no `/proc`. */
export function childrenOf(parent: number): readonly number[] {
  return processIds().filter((pid) => /^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1] === String(parent));
}

/** Whether a process lives, a zombie not counted. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).syscall === 'open';
  }
}

/** Every file below a directory with its size and the time it was changed, to see later whether anything happened to it. */
export async function tracesIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory, { recursive: true });
  const described = await Promise.all(names.map(async (name) => {
    const { size, mtimeMs } = await lstat(path.join(directory, name));
    return `${name} ${size} ${mtimeMs}`;
  }));
  return described.sort();
}

/** How long a directory is watched for something that still writes to it. */
const WATCHED_MS = 1_500;

/** What a directory holds now and after a while. */
export async function nowAndLater(directory: string): Promise<{ readonly now: readonly string[]; readonly later: readonly string[] }> {
  const now = await tracesIn(directory);
  await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
  return { now, later: await tracesIn(directory) };
}
