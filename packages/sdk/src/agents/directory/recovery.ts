import { rmdirSync, unlinkSync } from 'node:fs';
import { git, joinNames, nameBytes, splitNames } from './git.js';
import { fileOf, findWorkTree, GitRefusal, hasFreeWay, isFile, kindOf, PrivateRepository, SIGNATURE, text, totalSize, type SnapshotPlace, type WorkTree } from './work-tree.js';

/** A directory as it was: the files git would track, and what was staged. Object ids of trees in the repository. */
export interface DirectorySnapshot {
  readonly files: string;
  /** Absent while the index held an unresolved merge. */
  readonly staged?: string;
  /** The commit HEAD was at; absent before the first one. */
  readonly head?: string;
}

/** Why there is no snapshot, in words that follow "the directory cannot be reset: ". */
export interface Unavailable {
  readonly unavailable: string;
}

/** More uncommitted content than this is not copied into the repository before each attempt. */
const LARGEST_UNCOMMITTED = 512 * 1024 * 1024;

/**
 * Remembers the tracked files and the untracked ones that are not ignored, below a directory, as trees in the repository's object store. Nothing that
 * the user sees changes: no ref, no index, no file.
 */
export async function snapshotDirectory(place: SnapshotPlace): Promise<DirectorySnapshot | Unavailable> {
  const tree = await findWorkTree(place);
  if (tree === undefined) return { unavailable: `${place.directory} is in no git repository` };
  try {
    return await PrivateRepository.use(tree, async (repository) => await capture(repository, tree));
  } catch (error) {
    if (error instanceof GitRefusal) return { unavailable: error.message };
    throw error;
  }
}

async function capture(repository: PrivateRepository, tree: WorkTree): Promise<DirectorySnapshot | Unavailable> {
  const [staged, names, head] = await Promise.all([repository.writeIndexTree(), repository.pendingNames(), headOf(tree)]);
  const bytes = totalSize(tree, names);
  if (bytes > LARGEST_UNCOMMITTED) return { unavailable: `${Math.round(bytes / 1024 / 1024)} MiB in it are not committed` };
  await repository.update(names);
  const files = text(await repository.git(['write-tree', '--missing-ok']));
  return { files, ...(staged === undefined ? {} : { staged }), ...(head === undefined ? {} : { head }) };
}

async function headOf(tree: WorkTree): Promise<string | undefined> {
  const asked = await git({ cwd: tree.top, hostEnv: tree.hostEnv, args: ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'] });
  return asked.exitCode === 0 ? text(asked) : undefined;
}

export interface Reset {
  /** The ref under which what was there is kept; absent when nothing had changed. */
  readonly abandoned?: string;
  /** What could not be put back, each a sentence. */
  readonly left: readonly string[];
}

/**
 * Puts a directory back to a snapshot, after saving what is there under `ref`: the files as a commit on top of HEAD, and what was staged as its second
 * parent. Ignored files are not touched, commits that were made stay on their branch.
 */
export async function resetDirectory(request: SnapshotPlace & { readonly snapshot: DirectorySnapshot; readonly ref: string }): Promise<Reset | Unavailable> {
  const tree = await findWorkTree(request);
  if (tree === undefined) return { unavailable: `${request.directory} is no longer in a git repository` };
  try {
    return await PrivateRepository.use(tree, async (repository) => await reset(repository, tree, request));
  } catch (error) {
    if (error instanceof GitRefusal) return { unavailable: error.message };
    throw error;
  }
}

async function reset(repository: PrivateRepository, tree: WorkTree, request: { readonly snapshot: DirectorySnapshot; readonly ref: string }): Promise<Reset | Unavailable> {
  const { snapshot, ref } = request;
  const now = await capture(repository, tree);
  if ('unavailable' in now) return now;
  const present = { ...now, files: await withUnlistedFiles(repository, tree, snapshot.files, now.files) };
  const changes = await compareTrees(repository, tree, snapshot.files, present.files);
  const moved = snapshot.head !== present.head;
  // After a commit, staging what was staged before would stage taking the commit back.
  const restage = !moved && snapshot.staged !== undefined && present.staged !== undefined ? await compareTrees(repository, tree, snapshot.staged, present.staged) : [];
  if (changes.length === 0 && restage.length === 0) return { left: [] };
  await save(repository, tree, present, ref);
  const left = await putBack({ repository, tree, snapshot, changes });
  left.push(...(await stageAgain(tree, restage)));
  if (moved) left.push(`commits made meanwhile are still there: HEAD is ${present.head ?? 'unborn'} and was ${snapshot.head ?? 'unborn'}`);
  return { abandoned: ref, left };
}

/** A file that was in the snapshot and is ignored by now is in no listing: it has to be saved as well before it is overwritten. */
async function withUnlistedFiles(repository: PrivateRepository, tree: WorkTree, before: string, now: string): Promise<string> {
  const gone = (await compareTrees(repository, tree, before, now)).filter((change) => change.nowMode === ABSENT);
  const there = gone.filter(({ name }) => isFile(tree, name)).map(({ name }) => name);
  if (there.length === 0) return now;
  await repository.update(there);
  return text(await repository.git(['write-tree', '--missing-ok']));
}

const ABSENT = '000000';
const SUBMODULE = '160000';

interface Change {
  readonly name: string;
  readonly beforeMode: string;
  readonly beforeId: string;
  readonly nowMode: string;
}

async function compareTrees(repository: PrivateRepository, tree: WorkTree, before: string, now: string): Promise<Change[]> {
  if (before === now) return [];
  const below = tree.prefix === '' ? [] : ['--', tree.prefix];
  const fields = splitNames((await repository.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', before, now, ...below])).stdout);
  const changes: Change[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [beforeMode = '', nowMode = '', beforeId = ''] = (fields[i] ?? '').slice(1).split(' ');
    changes.push({ name: fields[i + 1] ?? '', beforeMode, nowMode, beforeId });
  }
  return changes;
}

async function save(repository: PrivateRepository, tree: WorkTree, present: DirectorySnapshot, ref: string): Promise<void> {
  const onHead = present.head === undefined ? [] : ['-p', present.head];
  const commit = async (files: string, message: string, parents: readonly string[]): Promise<string> =>
    text(await repository.git(['commit-tree', files, ...parents, '-m', message], { env: SIGNATURE }));
  const staged = present.staged === undefined ? [] : ['-p', await commit(present.staged, 'What an abandoned attempt had staged', onHead)];
  const saved = await commit(present.files, `What an abandoned attempt left\n\n${ref}`, [...onHead, ...staged]);
  const updated = await git({ cwd: tree.top, hostEnv: tree.hostEnv, args: ['update-ref', '--create-reflog', ref, saved] });
  if (updated.exitCode !== 0) throw new GitRefusal(`git update-ref failed: ${updated.stderr}`);
}

async function putBack(work: { readonly repository: PrivateRepository; readonly tree: WorkTree; readonly snapshot: DirectorySnapshot; readonly changes: readonly Change[] }): Promise<string[]> {
  const { tree, changes } = work;
  const left: string[] = [];
  for (const { name, beforeMode, nowMode } of changes) {
    if (beforeMode === SUBMODULE || nowMode === SUBMODULE) left.push(`the submodule ${shown(name)} is as the attempt left it`);
  }
  const plain = changes.filter(({ beforeMode, nowMode }) => beforeMode !== SUBMODULE && nowMode !== SUBMODULE);
  // The rules of what is ignored come first: they decide whether a file is new or was only hidden.
  const isRule = ({ name }: Change): boolean => name === '.gitignore' || name.endsWith('/.gitignore');
  for (const part of [plain.filter(isRule), plain.filter((change) => !isRule(change))]) {
    await remove(work.repository, tree, part.filter(({ beforeMode }) => beforeMode === ABSENT).map(({ name }) => name));
    left.push(...(await write(work, part.filter(({ beforeMode }) => beforeMode !== ABSENT))));
  }
  return left;
}

/** Removes files the snapshot does not have, but not those that its rules ignore: they may have been there all along. */
async function remove(repository: PrivateRepository, tree: WorkTree, names: readonly string[]): Promise<void> {
  const present = names.filter((name) => isFile(tree, name));
  if (present.length === 0) return;
  // It reads what it is given as patterns; a name with "./" in front is none. 1: none of them is ignored.
  const input = joinNames(present.map((name) => `./${name}`));
  const asked = await repository.git(['check-ignore', '-z', '--stdin', '--no-index'], { input, allow: [1], env: { GIT_LITERAL_PATHSPECS: '0' } });
  const ignored = new Set(splitNames(asked.stdout));
  for (const name of present) {
    if (ignored.has(`./${name}`)) continue;
    unlinkSync(fileOf(tree, name));
    removeEmptyParents(tree, name);
  }
}

function removeEmptyParents(tree: WorkTree, name: string): void {
  for (let end = name.lastIndexOf('/'); end >= Buffer.byteLength(tree.prefix) && end !== -1; end = name.lastIndexOf('/', end - 1)) {
    try {
      rmdirSync(fileOf(tree, name.slice(0, end)));
    } catch {
      // Something else lives there.
      return;
    }
  }
}

async function write(work: { readonly repository: PrivateRepository; readonly tree: WorkTree; readonly snapshot: DirectorySnapshot }, changes: readonly Change[]): Promise<string[]> {
  const { repository, tree, snapshot } = work;
  const possible = changes.filter(({ name }) => kindOf(tree, name) !== 'directory' && hasFreeWay(tree, name)).map(({ name }) => name);
  const left = changes.filter(({ name }) => !possible.includes(name)).map(({ name }) => `${shown(name)} could not be put back: something ignored is in its place`);
  if (possible.length === 0) return left;
  await repository.git(['read-tree', snapshot.files]);
  // What stood in the index as well is checked out the way git does it for the user, line endings and filters included; the rest as the bytes it was.
  const edited = new Set(snapshot.staged === undefined ? possible : (await compareTrees(repository, tree, snapshot.files, snapshot.staged)).map(({ name }) => name));
  const raw = possible.filter((name) => edited.has(name));
  const filtered = possible.filter((name) => !edited.has(name));
  const args = ['checkout-index', '--force', '-z', '--stdin'];
  if (raw.length > 0) await repository.git(args, { input: joinNames(raw) });
  if (filtered.length > 0) {
    const result = await git({ cwd: tree.top, hostEnv: tree.hostEnv, args, env: { GIT_INDEX_FILE: repository.indexFile }, input: joinNames(filtered) });
    if (result.exitCode !== 0) left.push(`some files could not be put back: ${result.stderr}`);
  }
  return left;
}

/** Puts back what was staged, entry by entry, so that everything else the index knows stays. */
async function stageAgain(tree: WorkTree, changes: readonly Change[]): Promise<string[]> {
  if (changes.length === 0) return [];
  const input = Buffer.from(changes.map(({ name, beforeMode, beforeId }) => `${beforeMode === ABSENT ? '0' : beforeMode} ${beforeId}\t${name}\0`).join(''), 'latin1');
  const result = await git({ cwd: tree.top, hostEnv: tree.hostEnv, args: ['update-index', '-z', '--index-info'], input });
  return result.exitCode === 0 ? [] : [`what was staged could not be put back: ${result.stderr}`];
}

function shown(name: string): string {
  return nameBytes(name).toString('utf8');
}
