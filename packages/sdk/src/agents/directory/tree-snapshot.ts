import { readlinkSync } from 'node:fs';
import path from 'node:path';
import { isGone, type ContentCache, type FileStat } from './content-cache.js';
import { walkTree, type TreeFile } from './directory-tree.js';
import { nameBytes } from './git.js';
import { GitIndex } from './git-index.js';

/** The regular files of a directory at one moment, with what their content was where that had to be remembered. */
export type TreeSnapshot = ReadonlyMap<string, SnapshotFile>;

export interface SnapshotFile extends FileStat {
  /** `sha256:<hex>`, or `git:<object id>` for a file as it stands in git's index. */
  readonly content: string;
  /** So young that a change in the same moment would leave no trace in its times. */
  readonly recent?: true;
}

/** Everything a directory holds. Names as in {@link TreeFile}. */
export interface WholeTree {
  readonly files: TreeSnapshot;
  /** What each link points at, in `latin1`. */
  readonly links: ReadonlyMap<string, string>;
  /** Pipes, sockets and devices. */
  readonly others: ReadonlySet<string>;
  /** The root is the empty name. */
  readonly folders: ReadonlySet<string>;
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
 * Looks at everything below a directory. Files that git's index vouches for are not read, so a checkout of 50,000 files costs its `lstat` calls;
 * every other file, ignored ones too, is hashed. Errors of the file system other than a vanishing file are thrown.
 */
export async function lookAtTree(request: TreeRequest): Promise<WholeTree> {
  const all: TreeFile[] = [];
  const links = new Map<string, string>();
  const others = new Set<string>();
  const folders = new Set<string>();
  // Begun first, so that git answers while the files are looked at.
  const reading = GitIndex.read(request);
  for await (const level of walkTree({ root: request.directory, skip: request.dataDir })) {
    folders.add(level.folder);
    for (const file of level.files) all.push(file);
    for (const name of level.others) noteOther(request.directory, name, { links, others });
  }
  const index = await reading;
  const files = new Map<string, SnapshotFile>();
  for (const { name, stat } of all) {
    const recent = isRecent(stat, request.now);
    const id = recent ? undefined : index?.contentOf(name, stat);
    const content = id === undefined ? await request.contents.sha256(fileIn(request.directory, name), stat, recent) : `git:${id}`;
    if (content === undefined) continue;
    const { size, mtimeMs, ctimeMs, ino, mode } = stat;
    files.set(name, recent ? { size, mtimeMs, ctimeMs, ino, mode, content, recent } : { size, mtimeMs, ctimeMs, ino, mode, content });
  }
  return { files, links, others, folders };
}

/** Its regular files alone. */
export async function snapshotTree(request: TreeRequest): Promise<TreeSnapshot> {
  return (await lookAtTree(request)).files;
}

/** Sorts a link from a pipe, socket or device. */
export function noteOther(directory: string, name: string, into: { readonly links: Map<string, string>; readonly others: Set<string> }): void {
  try {
    into.links.set(name, readlinkSync(fileIn(directory, name), 'latin1'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EINVAL') into.others.add(name);
    else if (!isGone(error)) throw error;
  }
}

/** Coarse clocks of file systems count whole seconds; the others go by the kernel's tick. */
export function isRecent(stat: FileStat, now: number): boolean {
  const window = stat.ctimeMs % 1_000 === 0 ? 2_000 : 50;
  return Math.max(stat.ctimeMs, stat.mtimeMs) > now - window;
}

/** The absolute path of a name. */
export function fileIn(directory: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(directory + path.sep), nameBytes(name)]);
}

/** A name as people read it. */
export function shownName(name: string): string {
  return nameBytes(name).toString('utf8');
}
