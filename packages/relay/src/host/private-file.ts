import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { RelayError } from '../errors/relay-error.js';

/** Replaces a file as a whole: readers, and whoever comes after a crash, see the old text or the new one. Throws `home_unusable`. */
export function replaceFile(path: string, text: string | Uint8Array, mode = 0o600): void {
  const unfinished = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.new`;
  try {
    const file = openSync(unfinished, 'wx', mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
    syncFolder(dirname(path));
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw failed(`${path} cannot be written`, path, cause);
  }
}

/** The text, or `undefined` when there is no such file. Throws `home_unusable`. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failed(`${path} cannot be read`, path, cause);
  }
}

/** A rename survives power loss once the folder is on disk. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function failed(what: string, path: string, cause: unknown): RelayError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  return new RelayError('home_unusable', `${what}: ${code}.`, { hint: 'Check the folder, its permissions and the room on the disk.', evidence: { path, errno: code }, cause });
}
