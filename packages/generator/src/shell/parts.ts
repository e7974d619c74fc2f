import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { functionsOf, functionsUsedBy, withoutInclude, type ShellFunction } from './library.js';

const FOLDER = new URL('../../shell/', import.meta.url);

/** The text of a file in the package's `shell` folder, indented by tabs: bytes are scarce in a flow. */
function shellFile(name: string): string {
  const text = readFileSync(fileURLToPath(new URL(`${name}.sh`, FOLDER)), 'utf8');
  return text.replaceAll(/^(?: {2})+/gm, (indent) => '\t'.repeat(indent.length / 2));
}

/** The functions that the parts share. */
export function shellLibrary(): ShellFunction[] {
  return functionsOf(shellFile('lib'));
}

/** A part alone, without the functions that it takes from the library. `name` is its file's, without `.sh`. */
export function shellPartBody(name: string): string {
  return withoutInclude(shellFile(name));
}

/** A part that runs by itself: the functions it needs, then what it does. */
export function shellPart(name: string): string {
  const body = shellPartBody(name);
  return [...functionsUsedBy(body, shellLibrary()).map(({ source }) => source), body].join('\n\n');
}
