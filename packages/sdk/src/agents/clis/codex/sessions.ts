import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/*
 * Session files lie in `sessions/YYYY/MM/DD/rollout-<local time>-<thread id>.jsonl`, by the day on which the thread began. A thread id is a UUID of version 7:
 * its first 48 bits are that moment in milliseconds, so a thread is found among thousands without looking into their files.
 */

export interface SessionFile {
  readonly path: string;
  readonly threadId: string;
  /** Milliseconds since the epoch; absent for an id that does not tell. */
  readonly begunAt?: number;
}

const DAY_MS = 86_400_000;
const NAME = /^rollout-.*-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i;

/** When a thread began, in milliseconds since the epoch; `undefined` for an id of another kind. Pure. */
export function begunAt(threadId: string): number | undefined {
  const digits = threadId.replaceAll('-', '');
  return digits.charAt(12) === '7' ? Number.parseInt(digits.slice(0, 12), 16) : undefined;
}

/** The files of all threads that began at this moment or later, or whose ids do not tell. Empty where there are none. */
export async function sessionFiles(sessions: string, since: number): Promise<SessionFile[]> {
  const found: SessionFile[] = [];
  for (const folder of await daysFrom(sessions, since)) {
    for (const name of await namesIn(folder)) {
      const threadId = NAME.exec(name)?.[1];
      const begun = threadId === undefined ? undefined : begunAt(threadId);
      if (threadId === undefined || (begun !== undefined && begun < since)) continue;
      found.push({ path: path.join(folder, name), threadId, ...(begun === undefined ? {} : { begunAt: begun }) });
    }
  }
  return found;
}

/** The file of a thread; `undefined` when there is none. */
export async function sessionFile(sessions: string, threadId: string): Promise<string | undefined> {
  return (await sessionFiles(sessions, begunAt(threadId) ?? 0)).find((file) => file.threadId === threadId)?.path;
}

/** When a file was last written to, in milliseconds since the epoch, and its size; `undefined` when it is gone. */
export async function stateOf(file: string): Promise<{ readonly writtenAt: number; readonly size: number } | undefined> {
  const state = await stat(file).catch(() => undefined);
  return state === undefined ? undefined : { writtenAt: state.mtimeMs, size: state.size };
}

async function daysFrom(sessions: string, since: number): Promise<string[]> {
  // Folders are named by local time, so they may be off by a day.
  const first = new Date(Math.max(0, since - DAY_MS)).toISOString().slice(0, 10).replaceAll('-', '/');
  let folders = [''];
  for (const length of ['YYYY/'.length, 'YYYY/MM/'.length, 'YYYY/MM/DD/'.length]) {
    const below = await Promise.all(folders.map(async (folder) => (await namesIn(path.join(sessions, folder))).map((name) => `${folder}${name}/`)));
    folders = below.flat().filter((folder) => /^[\d/]+$/.test(folder) && folder >= `${first}/`.slice(0, length));
  }
  return folders.map((folder) => path.join(sessions, folder));
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
