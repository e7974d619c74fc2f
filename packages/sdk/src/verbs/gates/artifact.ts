import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, normalize, relative, resolve, sep } from 'node:path';

/** Entries that the scan for an agent's artifacts leaves out. */
const UNSCANNED = new Set(['.git', '.relayflowd', 'node_modules']);

/** What is wrong with the path of an artifact as it is written, or `undefined`. */
export function pathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string' || path.trim() === '') return 'is blank';
  if (path.includes('\0')) return 'contains a NUL';
  if (/^(?:file:|[a-z][a-z0-9+.-]*:\/\/)/i.test(path)) return 'is a URI';
  if (!isAbsolute(path) && normalize(path).split(sep)[0] === '..') return "leads out of the step's directory";
  return undefined;
}

/** The directory on the way to a path in which nobody looks for artifacts, if there is one. */
export function unscannedDirectory(path: string): string | undefined {
  return normalize(path).split(sep).find((part) => UNSCANNED.has(part));
}

/** What keeps the path from being a regular file under the directory, or `undefined`. Links are followed, and must not lead out. */
export async function artifactProblem(args: { readonly directory: string; readonly path: string }): Promise<string | undefined> {
  const full = resolve(args.directory, args.path);
  try {
    const real = await realpath(full);
    if (isOutside(await realpath(args.directory), real)) return "lies outside the step's directory";
    const facts = await stat(real);
    if (facts.isFile()) return undefined;
    return facts.isDirectory() ? 'is a directory' : 'is not a regular file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? String(error)})`;
  }
}

function isOutside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
