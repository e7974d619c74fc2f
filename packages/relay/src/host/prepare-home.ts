import { chmodSync, mkdirSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { isRelayError, RelayError } from '../errors/relay-error.js';
import type { Home } from './home.js';

const FOR_OTHERS = 0o077;

/**
 * Makes the folders of a home, and sees to it that only its owner can look inside: modes that let others in are corrected. Answers with a sentence for each
 * correction. Throws `home_unusable` when something belongs to another user, is no folder or file, or cannot be made.
 */
export function prepareHome(home: Home): readonly string[] {
  makeFolder(home.root);
  const corrected = [closed(home.root, 0o700, 'folder')];
  makeFolder(home.workflows);
  makeFolder(home.logs);
  for (const folder of [home.workflows, home.logs, home.reports]) corrected.push(closed(folder, 0o700, 'folder'));
  const { config, credentials, database, lock, holder, serverLog, pluginLog } = home;
  for (const file of [config, credentials, database, `${database}-wal`, `${database}-shm`, lock, holder, serverLog, pluginLog]) corrected.push(closed(file, 0o600, 'file'));
  return corrected.filter((sentence) => sentence !== undefined);
}

/** Whether there is a home, without making one. Throws `home_unusable` when there is something else. */
export function homeExists(home: Home): boolean {
  const found = look(home.root);
  if (found === undefined) return false;
  if (!found.isDirectory()) throw unusable(`${home.root} is not a folder.`, home.root);
  return true;
}

/** A sentence when the mode had to be corrected. What is not there is fine. */
export function closed(path: string, mode: number, kind: 'file' | 'folder'): string | undefined {
  const found = look(path);
  if (found === undefined) return undefined;
  if (kind === 'folder' ? !found.isDirectory() : !found.isFile()) throw unusable(`${path} is not a ${kind}.`, path);
  const own = process.getuid?.();
  if (own !== undefined && found.uid !== own) {
    throw new RelayError('home_unusable', `${path} belongs to another user (${found.uid}).`, { hint: 'Set RELAY_FLOW_HOME to a folder of yours, or have its owner give it to you.', evidence: { path, uid: found.uid } });
  }
  if (process.platform === 'win32' || (found.mode & FOR_OTHERS) === 0) return undefined;
  try {
    chmodSync(path, mode);
  } catch (cause) {
    throw unusable(`${path} can be read by others, and its mode cannot be changed.`, path, cause);
  }
  return `${path} could be read by others and was closed to them.`;
}

function isFolder(path: string): boolean {
  return look(path)?.isDirectory() === true;
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw unusable(`${path} cannot be looked at: ${reason(cause)}.`, path, cause);
  }
}

/** Not by the recursive `mkdir` of Node: where the parent is there and yet nothing can be made in it, as in `/proc`, it never comes back. */
function makeFolder(path: string): void {
  const mode = 0o700;
  try {
    if (isFolder(path)) return;
    if (look(dirname(path)) === undefined) makeFolder(dirname(path));
    mkdirSync(path, { mode });
  } catch (cause) {
    if (isRelayError(cause)) throw cause;
    // Another process was faster.
    if (isFolder(path)) return;
    if (reason(cause) === 'EEXIST') throw unusable(`${path} is not a folder.`, path, cause);
    throw unusable(`${path} cannot be made: ${reason(cause)}.`, path, cause);
  }
}

function unusable(text: string, path: string, cause?: unknown): RelayError {
  return new RelayError('home_unusable', text, { hint: 'Check the path and its permissions, or set RELAY_FLOW_HOME to another folder.', evidence: { path }, cause });
}

function reason(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown';
}
