import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileIn, lookAtTree, shownName, type SnapshotFile, type TreeRequest, type WholeTree } from '../directory/tree-snapshot.js';
import type { SnapshotPlace } from '../directory/work-tree.js';
import { readRepository, type RepositoryState } from './repository-state.js';
import type { WriteRule } from './rule.js';

/*
 * What a directory held before a turn whose writing is restricted: every name, content and mode, copies of what git could not give back, and the state
 * of the repository. It lies in a folder of the step, so that it also serves after a crash.
 */
export interface Held {
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tree: WholeTree;
  /** Absolute path of the copy of a file, by name. */
  readonly copies: ReadonlyMap<string, string>;
  /** Absent outside git. */
  readonly repository?: RepositoryState;
}

export interface HoldRequest {
  readonly place: SnapshotPlace;
  readonly look: TreeRequest;
  readonly rule: WriteRule;
  /** Absolute path; created. */
  readonly folder: string;
  readonly bounds?: HoldBounds;
}

export interface HoldBounds {
  readonly files: number;
  readonly bytes: number;
}

/** Of files that git could not give back. The smallest are kept first. */
const BOUNDS: HoldBounds = { files: 20_000, bytes: 512 * 1024 * 1024 };
const COPIED_AT_ONCE = 32;

/** Files whose changes would be noticed, and could not be put back. */
export interface NotKept {
  readonly files: number;
  readonly bytes: number;
  readonly example: string;
}

/** Remembers a directory. Throws errors of the file system for what cannot be read; what cannot be copied is `notKept`. */
export async function holdDirectory(request: HoldRequest): Promise<{ readonly held: Held; readonly notKept?: NotKept }> {
  const { place, look, rule, folder } = request;
  await rm(folder, { recursive: true, force: true });
  // Ignored files hold secrets.
  await mkdir(path.join(folder, 'copies'), { recursive: true, mode: 0o700 });
  const tree = await lookAtTree(look);
  const repository = await readRepository({ place, whole: rule.kind === 'nothing', indexCopy: path.join(folder, 'index') });
  const { copies, left } = await keepCopies(request, tree);
  const held: Held = { folder, at: look.now, tree, copies, ...(repository === undefined ? {} : { repository }) };
  await writeFile(path.join(folder, HELD_FILE), JSON.stringify({
    at: held.at, files: [...tree.files], links: [...tree.links], others: [...tree.others], folders: [...tree.folders], copies: [...copies], repository,
  } satisfies Stored), { mode: 0o600 });
  const [example] = left;
  if (example === undefined) return { held };
  return { held, notKept: { files: left.length, bytes: left.reduce((sum, [, { size }]) => sum + size, 0), example: shownName(example[0]) } };
}

async function keepCopies(request: HoldRequest, tree: WholeTree): Promise<{ readonly copies: Map<string, string>; readonly left: [string, SnapshotFile][] }> {
  const { look, rule, folder, bounds = BOUNDS } = request;
  const wanted = [...tree.files].filter(([name, { content }]) => content.startsWith('sha256:') && !rule.allows(shownName(name))).sort(([, a], [, b]) => a.size - b.size);
  let bytes = 0;
  const fitting = wanted.findIndex(([, { size }], at) => at >= bounds.files || (bytes += size) > bounds.bytes);
  const kept = fitting === -1 ? wanted : wanted.slice(0, fitting);
  const left = fitting === -1 ? [] : wanted.slice(fitting);
  const copies = new Map<string, string>();
  for (let from = 0; from < kept.length; from += COPIED_AT_ONCE) {
    await Promise.all(kept.slice(from, from + COPIED_AT_ONCE).map(async (entry, at) => {
      const copy = path.join(folder, 'copies', String(from + at));
      try {
        await copyFile(fileIn(look.directory, entry[0]), copy, constants.COPYFILE_FICLONE);
        copies.set(entry[0], copy);
      } catch {
        // A full disk, or a file that has just gone: what is not kept is said before anything is spent.
        left.push(entry);
      }
    }));
  }
  return { copies, left };
}

const HELD_FILE = 'held.json';

interface Stored {
  readonly at: number;
  readonly files: readonly [string, SnapshotFile][];
  readonly links: readonly [string, string][];
  readonly others: readonly string[];
  readonly folders: readonly string[];
  readonly copies: readonly [string, string][];
  readonly repository?: RepositoryState | undefined;
}

/** What was kept in a folder; `undefined` when it is gone. */
export async function readHeld(folder: string): Promise<Held | undefined> {
  try {
    const { at, files, links, others, folders, copies, repository } = JSON.parse(await readFile(path.join(folder, HELD_FILE), 'utf8')) as Stored;
    const tree: WholeTree = { files: new Map(files), links: new Map(links), others: new Set(others), folders: new Set(folders) };
    return { folder, at, tree, copies: new Map(copies), ...(repository === undefined ? {} : { repository }) };
  } catch {
    return undefined;
  }
}

export async function dropHeld(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
