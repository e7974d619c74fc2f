import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it, with the permissions in `mode`, and returns the topmost one it created: `undefined` when the folder exists. Throws
 * the file system's error. Node's own `recursive: true` never returns, and fills the memory, where a folder reports that it does not exist right after it
 * was found, as `/proc` does.
 */
export function makeDirectory(path: string, mode?: number): string | undefined {
  if (isDirectory(path)) return undefined;
  const above = dirname(path) === path ? undefined : makeDirectory(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
    return above ?? path;
  } catch (error) {
    // Another process may have been quicker.
    if (!isDirectory(path)) throw error;
    return above;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
