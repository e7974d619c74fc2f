import { lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FlowsError } from '@relayflows/sdk';

export interface NewFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/**
 * Writes files that do not exist yet: all of them, or none. Folders are made. Throws `file_exists`, which names every one that is in the way, also one that
 * appears meanwhile, and `file_unwritable`.
 */
export function writeNew(files: readonly NewFile[]): void {
  const taken = files.map(({ path }) => path).filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (taken.length > 0) throw exists(taken);
  const written: string[] = [];
  const made: string[] = [];
  let at = '';
  try {
    for (const { path, text } of files) {
      at = path;
      const folder = mkdirSync(dirname(path), { recursive: true });
      if (folder !== undefined) made.push(folder);
      writeFileSync(path, text, { flag: 'wx' });
      written.push(path);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') written.push(at);
    for (const path of written) rmSync(path, { force: true });
    for (const folder of made) removeEmpty(folder);
    if (code === 'EEXIST') throw exists([at], error);
    throw new FlowsError('file_unwritable', `${at} cannot be written: ${message}`, { hint: 'Check the folder and its permissions.', evidence: { path: at, errno: code }, cause: error });
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds something by now.
  }
}

function exists(paths: readonly string[], cause?: unknown): FlowsError {
  const [first = ''] = paths;
  const text = paths.length === 1 ? `${first} exists already and was left as it is.` : [`These files exist already and were left as they are:`, ...paths].join('\n');
  return new FlowsError('file_exists', text, { hint: 'Choose another name, or move the file away.', evidence: { path: first }, ...(cause === undefined ? {} : { cause }) });
}
