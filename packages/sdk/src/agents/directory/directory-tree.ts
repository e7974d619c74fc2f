import { readdirSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isGone, statOf, type FileStat } from './content-cache.js';

/** Never looked into, at any depth. */
const SKIPPED = new Set(['.git', '.relayflowd', 'node_modules']);
/** How long the walk may keep the event loop, in milliseconds. */
const SLICE_MS = 8;

/** One regular file of a tree. Names are relative to the root with forward slashes, one character a byte (`latin1`), so that any name is a key. */
export interface TreeFile {
  readonly name: string;
  readonly stat: FileStat;
}

/** What one folder of a tree holds, without its folders, each of which is a level of its own. */
export interface TreeLevel {
  /** The folder; empty for the root. */
  readonly folder: string;
  readonly files: readonly TreeFile[];
  /** Names of links, pipes, sockets and devices. */
  readonly others: readonly string[];
}

/**
 * Every file below a directory, folder by folder. Links are not followed; `.git`, `.relayflowd`, `node_modules` and the `skip` path are left out; what
 * vanishes meanwhile is left out too, and any other error of the file system is thrown. Yields in slices, so that a big tree does not stop the process.
 */
export async function* walkTree(request: { readonly root: string; readonly skip: string }): AsyncGenerator<TreeLevel> {
  const pending: { readonly directory: Buffer; readonly prefix: string }[] = [{ directory: Buffer.from(request.root), prefix: '' }];
  const skip = path.relative(request.root, request.skip);
  const skipName = skip === '' || skip.startsWith('..') ? undefined : Buffer.from(skip).toString('latin1');
  let since = performance.now();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { directory, prefix } = next;
    const files: TreeFile[] = [];
    const others: string[] = [];
    for (const entry of entriesOf(directory)) {
      const name = `${prefix}${entry.name}`;
      if (SKIPPED.has(entry.name) || name === skipName) continue;
      const file = Buffer.concat([directory, SLASH, Buffer.from(entry.name, 'latin1')]);
      if (entry.isDirectory()) {
        pending.push({ directory: file, prefix: `${name}/` });
        continue;
      }
      if (!entry.isFile()) {
        others.push(name);
        continue;
      }
      const stat = statOf(file);
      if (stat !== undefined) files.push({ name, stat });
    }
    yield { folder: prefix.slice(0, -1), files, others };
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
