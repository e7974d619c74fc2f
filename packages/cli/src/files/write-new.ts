import { lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FlowsError, isFlowsError } from '@relayflows/sdk';

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
  const taken = files.map(({ path }) => path).filter(isTaken);
  if (taken.length > 0) throw exists(taken);
  const made: (() => void)[] = [];
  for (const { path, text } of files) {
    try {
      makeFolder(dirname(path), made);
      writeFileSync(path, text, { flag: 'wx' });
      made.push(() => rmSync(path, { force: true }));
    } catch (error) {
      // Half a file is one of ours as well, unless somebody else's came in between.
      if (!isTakenError(error)) made.push(() => rmSync(path, { force: true }));
      made.reverse().forEach(quietly);
      throw isTakenError(error) ? exists([path], error) : unwritable(path, error);
    }
  }
}

function makeFolder(folder: string, made: (() => void)[]): void {
  let first: string | undefined;
  try {
    first = mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  if (first === undefined) return;
  const folders: string[] = [];
  for (let path = folder; path.length >= first.length; path = dirname(path)) folders.push(path);
  made.push(...folders.reverse().map((path) => () => rmdirSync(path)));
}

function quietly(undo: () => void): void {
  try {
    undo();
  } catch {
    // It was never there, or holds something of somebody else by now.
  }
}

function isTakenError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

function unwritable(path: string, cause: unknown): FlowsError {
  if (isFlowsError(cause)) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  return new FlowsError('file_unwritable', `${path} cannot be written: ${message}`, { hint: 'Check the folder and its permissions.', evidence: { path, errno: code }, cause });
}

function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file where a folder has to be, a folder that nobody may enter: writing says so.
    return false;
  }
}

function exists(paths: readonly string[], cause?: unknown): FlowsError {
  const [first = ''] = paths;
  const text = paths.length === 1 ? `${first} exists already and was left as it is.` : [`These files exist already and were left as they are:`, ...paths].join('\n');
  return new FlowsError('file_exists', text, { hint: 'Choose another name, or move the file away.', evidence: { path: first }, ...(cause === undefined ? {} : { cause }) });
}
