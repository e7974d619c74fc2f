import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NOBODY = 65_534;

/** Does something as a user to whom modes mean something. `folder` must be the test's own, and is given to that user with all that is in it; so is the folder above. */
export async function withoutRoot(folder: string, act: () => Promise<void> | void): Promise<void> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) {
    await act();
    return;
  }
  if (dirname(folder) !== '/tmp' && lstatSync(dirname(folder)).uid === 0 && (lstatSync(dirname(folder)).mode & 0o001) === 0) chownSync(dirname(folder), NOBODY, NOBODY);
  give(folder);
  process.seteuid(NOBODY);
  try {
    await act();
  } finally {
    process.seteuid(0);
  }
}

function give(path: string): void {
  chownSync(path, NOBODY, NOBODY);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
}
