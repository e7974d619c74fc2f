import path from 'node:path';
import { blobId, type ContentCache, type FileStat } from './content-cache.js';
import { walkTree, type TreeFile } from './directory-tree.js';
import { git, nameBytes } from './git.js';
import { GitIndex } from './git-index.js';

/** The regular files of a directory at one moment, with what their content was where that had to be remembered. */
export type TreeSnapshot = ReadonlyMap<string, SnapshotFile>;

export interface SnapshotFile extends FileStat {
  /** `sha256:<hex>`, or `git:<object id>` for a file as it stands in git's index. */
  readonly content: string;
  /** So young that a change in the same moment would leave no trace in its times. */
  readonly recent?: true;
}

export interface TreeRequest {
  /** Absolute real path. */
  readonly directory: string;
  readonly dataDir: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly contents: ContentCache;
  /** Milliseconds since the epoch, as the file system counts them. */
  readonly now: number;
}

/**
 * Looks at every file below a directory. Files that git's index vouches for are not read, so a checkout of 50,000 files costs its `lstat` calls;
 * every other file, ignored ones too, is hashed. Errors of the file system other than a vanishing file are thrown.
 */
export async function snapshotTree(request: TreeRequest): Promise<TreeSnapshot> {
  const [index, files] = await Promise.all([GitIndex.read(request), allFiles(request)]);
  const tree = new Map<string, SnapshotFile>();
  for (const { name, stat } of files) {
    const recent = isRecent(stat, request.now);
    const id = recent ? undefined : index?.contentOf(name, stat);
    const content = id === undefined ? await request.contents.sha256(absolute(request.directory, name), stat, recent) : `git:${id}`;
    if (content !== undefined) tree.set(name, { ...stat, content, ...(recent ? { recent } : {}) });
  }
  return tree;
}

/** The files whose content is not what it was in `before`, new ones included, relative to the directory and sorted. */
export async function changedSince(before: TreeSnapshot, request: TreeRequest): Promise<string[]> {
  const changed: string[] = [];
  const unsure: string[] = [];
  for await (const files of walkTree({ root: request.directory, skip: request.dataDir })) {
    for (const { name, stat } of files) {
      const then = before.get(name);
      if (then === undefined || then.size !== stat.size) {
        changed.push(name);
        continue;
      }
      if (then.recent !== true && sameStat(then, stat)) continue;
      const verdict = await compare(then, absolute(request.directory, name), stat, request);
      if (verdict === 'changed') changed.push(name);
      if (verdict === 'unsure') unsure.push(name);
    }
  }
  changed.push(...(await changedForGit(unsure, before, request)));
  return changed.map((name) => nameBytes(name).toString('utf8')).sort();
}

async function allFiles(request: TreeRequest): Promise<TreeFile[]> {
  const all: TreeFile[] = [];
  for await (const files of walkTree({ root: request.directory, skip: request.dataDir })) all.push(...files);
  return all;
}

async function compare(then: SnapshotFile, file: Buffer, stat: FileStat, request: TreeRequest): Promise<'same' | 'changed' | 'unsure' | 'gone'> {
  if (then.content.startsWith('sha256:')) {
    const content = await request.contents.sha256(file, stat, isRecent(stat, request.now));
    return content === undefined ? 'gone' : content === then.content ? 'same' : 'changed';
  }
  const id = await blobId(file, stat.size, then.content.length - 'git:'.length);
  if (id === undefined) return 'gone';
  // Git may store a file in another form than the one in the working tree (line endings, filters): only git can tell then.
  return `git:${id}` === then.content ? 'same' : 'unsure';
}

async function changedForGit(names: readonly string[], before: TreeSnapshot, request: TreeRequest): Promise<string[]> {
  // A name with a newline cannot be asked about; that its bytes differ from what git stores must do.
  const askable = names.filter((name) => !name.includes('\n'));
  if (askable.length === 0) return [...names];
  const input = Buffer.from(askable.map((name) => `${name}\n`).join(''), 'latin1');
  const hashed = await git({ cwd: request.directory, hostEnv: request.hostEnv, args: ['hash-object', '--stdin-paths'], input });
  const ids = hashed.stdout.toString('utf8').split('\n');
  return names.filter((name) => {
    const id = ids[askable.indexOf(name)];
    return id === undefined || `git:${id}` !== before.get(name)?.content;
  });
}

/** Coarse clocks of file systems count whole seconds; the others go by the kernel's tick. */
function isRecent(stat: FileStat, now: number): boolean {
  const window = stat.ctimeMs % 1_000 === 0 ? 2_000 : 50;
  return Math.max(stat.ctimeMs, stat.mtimeMs) > now - window;
}

function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}

function absolute(directory: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(directory + path.sep), nameBytes(name)]);
}
