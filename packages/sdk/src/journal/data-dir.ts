import { closeSync, existsSync, fsyncSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeDirectory } from '../flow/make-directory.js';

/**
 * Makes sure that a data directory exists, closed to other users, and that git does not see it. Throws the file system's error.
 *
 * Its `.gitignore` is written only while nothing foreign lies in the directory: a repository that somebody chose as data directory must not disappear
 * from its own history.
 */
export function prepareDataDir(dataDir: string): void {
  const firstCreated = makeDirectory(resolve(dataDir), 0o700);
  if (firstCreated !== undefined) syncNewFolders(firstCreated, resolve(dataDir));
  const ignoreFile = join(dataDir, '.gitignore');
  if (existsSync(ignoreFile) || !readdirSync(dataDir).every(isOurs)) return;
  try {
    writeFileSync(ignoreFile, '*\n', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function isOurs(name: string): boolean {
  return name === 'runs' || name.startsWith('journal.sqlite3');
}

/** A new folder survives power loss once the folder that lists it is on disk. */
function syncNewFolders(first: string, last: string): void {
  if (process.platform === 'win32') return;
  let folder = dirname(first);
  for (const name of relative(folder, last).split(sep)) {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    folder = join(folder, name);
  }
}
