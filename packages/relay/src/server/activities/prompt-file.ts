import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import { fitsCommandLine, pointerTo } from '../../harness/terminal-prompt.js';
import { readIfThere, replaceFile } from '../../host/private-file.js';

/** In the workspace: agents may be kept from reading anything outside of it. */
const FOLDER = '.relay-flow';

/**
 * What an agent in a terminal is told: its prompt, or where it stands when it is too long for a command line. What is typed into a program instead is lost where that
 * is not ready for it. The file is for its owner only, and its folder is ignored by git. `name` is of letters, digits and dashes; a file of that name is replaced.
 *
 * Throws `runner_conflict` when something else stands in the place of the folder, `home_unusable` when it cannot be written.
 */
export function promptOrPointer(prompt: string, of: { readonly workspace: string; readonly name: string; readonly ticket: string; readonly node: string }): string {
  if (fitsCommandLine(prompt)) return prompt;
  const folder = join(of.workspace, FOLDER);
  makeFolder(folder);
  const name = `${of.name}.md`;
  replaceFile(join(folder, name), prompt.endsWith('\n') ? prompt : `${prompt}\n`);
  return pointerTo(`${FOLDER}/${name}`, of);
}

function makeFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  // A link could lead out of the workspace.
  if (found !== undefined && !found.isDirectory()) throw new RelayError('runner_conflict', `${folder} is not a folder, so the instructions of an agent cannot be written there.`, { hint: 'Move it away.' });
  try {
    if (found === undefined) mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new RelayError('home_unusable', `${folder} cannot be made: ${code}.`, { hint: 'Check the folder that it is in, its permissions and the room on the disk.', evidence: { path: folder, errno: code }, cause });
  }
  const ignore = join(folder, '.gitignore');
  // As a whole: one that a full disk left empty would let agents commit what they are told.
  if ((readIfThere(ignore) ?? '') === '') replaceFile(ignore, '*\n');
}
