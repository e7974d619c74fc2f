import path from 'node:path';
import { RelayError } from '../../errors/relay-error.js';

/** What may stand in a file name and in the name of a branch everywhere: letters, digits and marks of any script, and `. _ - + = , #`. */
const PLAIN = /[\p{L}\p{N}\p{M}._+=,#-]/u;
const MAX_BYTES = 200;

/**
 * The name of a ticket's folder, and of its branch after `relay/`: the key, with every character that a file or a branch cannot have as `%` and its bytes.
 * Different keys have different names.
 */
export function folderName(key: string): string {
  let name = '';
  for (const character of key) name += PLAIN.test(character) ? character : percent(character);
  // Git allows none of these in a branch, and folders must not be hidden, or `.` and `..`.
  name = name.replace(/^[.-]/, percent).replace(/\.(?=\.)/g, percent).replace(/\.$/, percent).replace(/\.(?=lock$)/i, percent);
  if (name === '' || Buffer.byteLength(name) > MAX_BYTES) {
    throw new RelayError('runner_rejected', key === '' ? 'A ticket has an empty key.' : 'The key of a ticket is too long for the name of a folder.', { evidence: { key: key.slice(0, 300) } });
  }
  return name;
}

/** The key that {@link folderName} made a name of; `undefined` for the name of something else. */
export function keyOf(name: string): string | undefined {
  try {
    const key = decodeURIComponent(name);
    return folderName(key) === name ? key : undefined;
  } catch {
    return undefined;
  }
}

export function branchName(ticket: string): string {
  return `relay/${folderName(ticket)}`;
}

/** Whether a path is a folder or below it; both absolute. */
export function isWithin(folder: string, inner: string): boolean {
  const relative = path.relative(folder, inner);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}

function percent(characters: string): string {
  return [...Buffer.from(characters)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
