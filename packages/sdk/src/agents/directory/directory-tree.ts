import { readdirSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isGone, statOf, type FileStat } from './content-cache.js';

/** Never looked into, at any depth. */
const SKIPPED = new Set(['.git', '.relayflowd', 'node_modules']);
/** How long the walk may keep the event loop, in milliseconds. */
const SLICE_MS = 8;

/** One regular file of a tree. */
export interface TreeFile {
  /** Relative to the root with forward slashes, one character a byte (`latin1`), so that any name is a key. */
  readonly name: string;
  readonly stat: FileStat;
}

/**
 * Every regular file below a directory. Links are not followed; `.git`, `.relayflowd`, `node_modules` and the `skip` path are left out; what
 * vanishes meanwhile is left out too, and any other error of the file system is thrown. Yields in slices, so that a big tree does not stop the process.
 */
export async function* walkTree(request: { readonly root: string; readonly skip: string }): AsyncGenerator<readonly TreeFile[]> {
  const pending: { readonly directory: Buffer; readonly prefix: string }[] = [{ directory: Buffer.from(request.root), prefix: '' }];
  const skip = path.relative(request.root, request.skip);
  const skipName = skip === '' || skip.startsWith('..') ? undefined : Buffer.from(skip).toString('latin1');
  let since = performance.now();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { directory, prefix } = next;
    const files: TreeFile[] = [];
    for (const entry of entriesOf(directory)) {
      const name = `${prefix}${entry.name}`;
      if (SKIPPED.has(entry.name) || name === skipName) continue;
      const file = Buffer.concat([directory, SLASH, Buffer.from(entry.name, 'latin1')]);
      if (entry.isDirectory()) {
        pending.push({ directory: file, prefix: `${name}/` });
        continue;
      }
      if (!entry.isFile()) continue;
      const stat = statOf(file);
      if (stat !== undefined) files.push({ name, stat });
    }
    yield files;
    if (performance.now() - since > SLICE_MS) {
      await setImmediate();
      since = performance.now();
    }
  }
}

const SLASH = Buffer.from('/');

function entriesOf(directory: Buffer): Dirent<string>[] {
  try {
    return readdirSync(directory, { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
