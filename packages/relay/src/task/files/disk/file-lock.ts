import { randomUUID } from 'node:crypto';
import { lstat, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '../../../errors/relay-error.js';
import { errno } from './failure.js';

/** A lock is held for the time of one small write; a holder that was suspended for longer has lost it. */
const STALE_AFTER_MS = 30_000;
const GIVE_UP_AFTER_MS = 20_000;

/** A writer's right to one file. `temporary` is its place for the new content. */
export interface FileLock {
  readonly temporary: string;
  release(): Promise<void>;
}

/**
 * Keeps writers of relay-flow, in this process and in others, from replacing a file at once. People and their editors do not know of it: for them the content is
 * compared. The lock is a symbolic link beside the file that leads nowhere and says who holds it: made by one atomic call, with its content. One whose
 * holder is dead is taken over, together with what that left.
 */
export async function lockFile(path: string, what: string): Promise<FileLock> {
  const lock = beside(path, 'lock');
  const token = randomUUID();
  const holder = `${hostname()}/${process.pid}/${token}`;
  const until = performance.now() + GIVE_UP_AFTER_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, 20)) {
    const made = await symlink(holder, lock).then(() => true, (error: unknown) => {
      if (errno(error) === 'EEXIST') return false;
      throw error;
    });
    if (made) {
      const since = performance.now();
      return { temporary: beside(path, `${token}.tmp`), release: async () => await release(lock, holder, performance.now() - since) };
    }
    if (await takeOver(path, lock)) continue;
    if (performance.now() > until) throw new RelayError('task_unavailable', `${what} is being written by another process.`, { hint: 'It is tried again.', evidence: { file: what } });
    await sleep(wait * (0.5 + Math.random()));
  }
}

/** One that was held for long may be another's by now. */
async function release(lock: string, holder: string, heldMs: number): Promise<void> {
  if (heldMs < STALE_AFTER_MS / 2 || (await readlink(lock).catch(() => undefined)) === holder) await remove(lock);
}

/** Removes a file, if it is there. */
export async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (errno(error) !== 'ENOENT') throw error;
  });
}

/** Removes a lock whose holder is gone. True when it is worth trying again at once. */
async function takeOver(path: string, lock: string): Promise<boolean> {
  const seen = await readlink(lock).catch(() => undefined);
  if (seen === undefined) return true;
  const [host, pid, token = ''] = seen.split('/');
  // One from the future was made before the clock was set back: nothing says how old it is, and waiting for that time could take years.
  const age = Math.abs(Date.now() - (await lstat(lock).then(({ mtimeMs }) => mtimeMs, () => Date.now())));
  if (!(host === hostname() && !alive(Number(pid))) && age < STALE_AFTER_MS) return false;
  // Before its lock, which alone says what it is called: whoever dies in between leaves the rest to the next one.
  if (/^[0-9a-f-]{36}$/.test(token)) await remove(beside(path, `${token}.tmp`));
  // Renamed first: of two that find it stale, one gets it. Should it be a fresh one by then, it goes back.
  const aside = beside(path, `${randomUUID()}.stale`);
  if (!(await rename(lock, aside).then(() => true, () => false))) return true;
  const taken = await readlink(aside).catch(() => undefined);
  if (taken !== undefined && taken !== seen) await symlink(taken, lock).catch(() => undefined);
  await remove(aside);
  return true;
}

function alive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) === 'EPERM';
  }
}

/** Hidden, so that neither people nor a poll take it for a ticket. */
function beside(path: string, suffix: string): string {
  return join(dirname(path), `.${basename(path)}.${suffix}`);
}
