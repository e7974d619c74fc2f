import { readFileSync, rmSync } from 'node:fs';
import { isFlowsError } from '@relayflows/sdk';
import { openDatabase, type HostDatabase } from '@relayflows/sdk/journal';
import { RelayError } from '../errors/relay-error.js';
import { textOf } from '../errors/text-of.js';
import type { Home } from './home.js';
import { readIfThere, replaceFile } from './private-file.js';

/*
 * The lock is a transaction on a database of its own that is begun and never ended. The operating system holds it for this process and lets go of it when the process
 * dies, however that comes about, so nothing has to be judged from process ids and no stale lock has to be removed. Two rules keep it whole: server.lock is never
 * deleted, since a new file would be another lock; and this process opens it nowhere else, since POSIX drops a process's locks on a file when any handle to it is closed.
 */

export interface HomeLock {
  /** Calling it twice is allowed. */
  release(): void;
}

/** Kept from being collected as garbage, which would close them. */
const held = new Set<HostDatabase>();

/** Takes the home for this process, at once or not at all. The folder must exist. Throws `server_running`, which names the process that has it where that is known, and `home_unusable`. */
export function takeLock(home: Home): HomeLock {
  const database = locked(home);
  held.add(database);
  replaceFile(home.holder, `${JSON.stringify({ pid: process.pid, since: new Date().toISOString() })}\n`);
  return {
    release() {
      if (!held.delete(database)) return;
      rmSync(home.holder, { force: true });
      // One of the engines closes a database only once nobody can reach it any more.
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** The process that holds the lock, as far as it has said so and lives. Only the lock itself tells whether there is one. */
export function holderOf(home: Home): number | undefined {
  try {
    const { pid } = JSON.parse(readIfThere(home.holder) ?? '') as { readonly pid?: unknown };
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 1 && isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process runs. One that has ended and whose parent has not asked yet how does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}

function locked(home: Home): HostDatabase {
  let database: HostDatabase | undefined;
  try {
    database = openDatabase(home.lock);
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (cause) {
    database?.close();
    if (isFlowsError(cause) && cause.code === 'journal_busy') throw running(home, cause);
    const reason = isFlowsError(cause) ? cause.code : undefined;
    throw new RelayError('home_unusable', `The lock of the home, ${home.lock}, cannot be used: ${textOf(cause)}`, {
      // Only what is no lock may be deleted: another file would be another lock.
      hint: reason === 'journal_corrupt' ? 'Make sure that no server runs, and delete it.' : 'Check the folder, its permissions and the room on the disk, or set RELAY_FLOW_HOME to another folder.',
      evidence: { path: home.lock, ...(reason === undefined ? {} : { reason }) },
      cause,
    });
  }
}

function running(home: Home, cause: unknown): RelayError {
  const pid = holderOf(home);
  return new RelayError('server_running', `A server for this home is running${pid === undefined ? '' : ` (process ${pid})`}.`, {
    hint: 'Stop it with `relay-flow stop`.',
    evidence: { home: home.root, ...(pid === undefined ? {} : { pid }) },
    cause,
  });
}
