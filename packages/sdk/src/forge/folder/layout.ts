import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The longest name of a file that every file system takes, in bytes. */
const NAME_BYTES = 255;

/** Where things lie in a folder that stands in for a forge. */
export interface FolderLayout {
  /** One folder for each open change. Whoever closes or merges one moves its folder away, or removes it. */
  readonly open: string;
  /** A folder for each number that was given out. */
  readonly numbers: string;
  change(branch: string): ChangeLayout;
}

export interface ChangeLayout {
  readonly folder: string;
  /** Number, branch, base, title, draft and reviewers, as JSON. */
  readonly facts: string;
  readonly description: string;
  /** `0001.md` and so on. */
  readonly comments: string;
}

export function layoutOf(directory: string): FolderLayout {
  const open = join(directory, 'open');
  return { open, numbers: join(directory, 'numbers'), change: (branch) => changeIn(join(open, folderName(branch))) };
}

export function changeIn(folder: string): ChangeLayout {
  return { folder, facts: join(folder, 'change.json'), description: join(folder, 'description.md'), comments: join(folder, 'comments') };
}

/** A readable name for each branch, and no two alike. */
function folderName(branch: string): string {
  const name = encodeURIComponent(branch).replace(/^\./, '%2E');
  return name.length <= NAME_BYTES ? name : `${name.slice(0, 180)}…${createHash('sha256').update(branch).digest('hex').slice(0, 32)}`;
}
