import { constants, readlinkSync } from 'node:fs';
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { git, nameBytes } from '../directory/git.js';
import type { TreeChange } from '../directory/tree-changes.js';
import { fileIn } from '../directory/tree-snapshot.js';
import { findWorkTree, GitRefusal, PrivateRepository, SIGNATURE, text, totalSize, type SnapshotPlace, type WorkTree } from '../directory/work-tree.js';

export interface EvidenceRequest {
  readonly place: SnapshotPlace;
  readonly changes: readonly TreeChange[];
  /** In a git repository it is a commit that this ref names, which holds the forbidden files alone. */
  readonly ref: string;
  /** Elsewhere, and where git cannot take them, it is a folder. */
  readonly folder: string;
}

export interface Evidence {
  /** The ref or the folder; absent when nothing was left to keep. */
  readonly keptIn?: string;
  /** What could not be kept, by name, and so must not be overwritten. */
  readonly unkept: ReadonlyMap<string, string>;
}

/** More than this is not put into a repository. */
const LARGEST_IN_GIT = 512 * 1024 * 1024;

/** Keeps what an agent wrote against its permissions, before it is put back. */
export async function keepEvidence(request: EvidenceRequest): Promise<Evidence> {
  const names = request.changes.filter(({ how, now }) => how !== 'mode' && (now === 'file' || now === 'link')).map(({ name }) => name);
  if (names.length === 0) return { unkept: new Map() };
  const tree = await findWorkTree(request.place);
  if (tree !== undefined && (await keepInGit(tree, names, request.ref))) return { keptIn: request.ref, unkept: new Map() };
  return { keptIn: request.folder, unkept: await keepInFolder(request, names) };
}

async function keepInGit(tree: WorkTree, names: readonly string[], ref: string): Promise<boolean> {
  const prefix = Buffer.from(tree.prefix).toString('latin1');
  const full = names.map((name) => prefix + name);
  if (totalSize(tree, full) > LARGEST_IN_GIT) return false;
  try {
    return await PrivateRepository.use(tree, async (repository) => {
      await repository.git(['read-tree', '--empty']);
      await repository.update(full);
      const files = text(await repository.git(['write-tree']));
      // A file that git did not take would be lost.
      const listed = await repository.git(['ls-files', '-z']);
      if (listed.stdout.toString('latin1').split('\0').length - 1 !== full.length) return false;
      const head = await git({ cwd: tree.top, hostEnv: tree.hostEnv, args: ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'] });
      const parents = head.exitCode === 0 ? ['-p', text(head)] : [];
      const commit = text(await repository.git(['commit-tree', files, ...parents, '-m', `What an agent wrote against its permissions\n\n${ref}`], { env: SIGNATURE }));
      const updated = await git({ cwd: tree.top, hostEnv: tree.hostEnv, args: ['update-ref', '--create-reflog', ref, commit] });
      return updated.exitCode === 0;
    });
  } catch (error) {
    if (error instanceof GitRefusal) return false;
    throw error;
  }
}

async function keepInFolder({ place, folder, changes }: EvidenceRequest, names: readonly string[]): Promise<Map<string, string>> {
  const unkept = new Map<string, string>();
  const kinds = new Map(changes.map(({ name, now }) => [name, now]));
  for (const name of names) {
    const from = fileIn(place.directory, name);
    const to = Buffer.concat([Buffer.from(`${folder}${path.sep}files${path.sep}`), nameBytes(name)]);
    try {
      await mkdir(to.subarray(0, to.lastIndexOf(path.sep)), { recursive: true, mode: 0o700 });
      await rm(to, { force: true });
      if (kinds.get(name) === 'link') await symlink(readlinkSync(from, 'buffer'), to);
      else await copyFile(from, to, constants.COPYFILE_FICLONE);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      unkept.set(name, `what is there now could not be kept (${code}), so it was left`);
    }
  }
  return unkept;
}
