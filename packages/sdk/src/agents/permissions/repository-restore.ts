import { chmod, copyFile, mkdir, open, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { git } from '../directory/git.js';
import { findWorkTree, GitRefusal, PrivateRepository, SIGNATURE, text, type SnapshotPlace } from '../directory/work-tree.js';
import { settingChanges, wholeChanges, type RepositoryChange } from './repository-changes.js';
import { readSettings, readWhole, type RepositoryState, type SettingFile } from './repository-state.js';

export interface RepositoryRestore {
  readonly place: SnapshotPlace;
  readonly before: RepositoryState;
  /** Forbidden settings and hooks are kept below this folder. */
  readonly folder: string;
  /** Forbidden commits are kept below this ref. */
  readonly ref: string;
  /** False: only look. */
  readonly putBack: boolean;
}

export interface RepositoryFinding {
  readonly changes: readonly RepositoryChange[];
  readonly keptIn: readonly string[];
  /** What could not be put back, each in words of its own. */
  readonly left: readonly string[];
}

/** Finds what changed of a repository, and puts it back after keeping what is there. Settings come first: they decide what every further call of git does. */
export async function restoreRepository(request: RepositoryRestore): Promise<RepositoryFinding> {
  const { before, place, putBack } = request;
  const left: string[] = [];
  const keptIn = new Set<string>();
  const settings = await changedSettings(request);
  if (putBack) {
    for (const change of settings) {
      try {
        if (change.kind === 'setting') await restoreSetting(change, request.folder, keptIn);
      } catch (error) {
        left.push(`.git/${change.kind === 'setting' ? change.name : ''} could not be put back: ${reason(error)}`);
      }
    }
  }
  if (before.whole === undefined) return { changes: settings, keptIn: [...keptIn], left };
  const now = await readWhole({ top: before.top, hostEnv: place.hostEnv });
  const changes = wholeChanges(before.whole, now);
  if (putBack && changes.length > 0) {
    const run = async (args: readonly string[], input?: string): Promise<string | undefined> => {
      const done = await git({ cwd: before.top, hostEnv: place.hostEnv, args, ...(input === undefined ? {} : { input }) });
      return done.exitCode === 0 ? undefined : done.stderr;
    };
    const unsaved = await keepCommits(request, changes, run, keptIn);
    if (unsaved === undefined) left.push(...(await restoreHeads(changes, run)), ...(await restoreIndex(before, changes)));
    else left.push(`branches and what is staged were left as they are, since they could not be kept: ${unsaved}`);
  }
  return { changes: [...settings, ...changes], keptIn: [...keptIn], left };
}

async function changedSettings({ before, place }: RepositoryRestore): Promise<RepositoryChange[]> {
  const now = readSettings(before.places);
  const entries = new Map<SettingFile, readonly string[]>();
  for (const file of [...before.settings, ...now].filter(({ name, link: isLink }) => name.startsWith('config') && isLink === undefined)) {
    // A file of its own: what it says must not be what git obeys while it reads it.
    const listed = await git({ cwd: '/', hostEnv: place.hostEnv, args: ['config', '--file', '-', '--list', '-z'], input: Buffer.from(file.bytes, 'base64') });
    if (listed.exitCode === 0) entries.set(file, listed.stdout.toString('utf8').split('\0').filter((entry) => entry !== ''));
  }
  return settingChanges(before.settings, now, (was, is) => changedKeys(was && entries.get(was), is && entries.get(is), before.whole === undefined));
}

/** Whose keys differ. Git notes the upstream of a branch there when it is pushed: that is no setting. `undefined`: a file that git cannot read. */
function changedKeys(was: readonly string[] | undefined, is: readonly string[] | undefined, mayBranch: boolean): readonly string[] | undefined {
  if (was === undefined || is === undefined) return undefined;
  const differing = [...was.filter((entry) => !is.includes(entry)), ...is.filter((entry) => !was.includes(entry))];
  const keys = [...new Set(differing.map((entry) => entry.split('\n')[0] ?? ''))].filter((key) => !(mayBranch && key.startsWith('branch.')));
  return keys.sort();
}

async function restoreSetting(change: RepositoryChange & { readonly kind: 'setting' }, folder: string, keptIn: Set<string>): Promise<void> {
  if (change.now !== undefined) {
    const kept = path.join(folder, 'git', change.name);
    await mkdir(path.dirname(kept), { recursive: true, mode: 0o700 });
    await writeFile(kept, Buffer.from(change.now.bytes, 'base64'), { mode: 0o600 });
    keptIn.add(folder);
  }
  if (change.before === undefined) {
    await unlink(change.path);
    return;
  }
  const bytes = Buffer.from(change.before.bytes, 'base64');
  const staged = `${change.path}.relayflow`;
  await mkdir(path.dirname(change.path), { recursive: true });
  await rm(staged, { force: true });
  if (change.before.link === true) await symlink(bytes, staged);
  else {
    await writeFile(staged, bytes, { flag: 'wx' });
    await chmod(staged, change.before.mode & 0o7777);
  }
  await rename(staged, change.path);
}

type RunGit = (args: readonly string[], input?: string) => Promise<string | undefined>;

/** Keeps every commit that a branch is about to lose, and what is staged. Answers with why it could not. */
async function keepCommits({ place, ref }: RepositoryRestore, changes: readonly RepositoryChange[], run: RunGit, keptIn: Set<string>): Promise<string | undefined> {
  const lost: (readonly [string, string])[] = [];
  for (const change of changes) {
    if (change.kind === 'ref' && change.now !== undefined) lost.push([`${ref}/${change.name}`, change.now]);
    if (change.kind === 'head' && change.now !== '' && !change.now.startsWith('ref: ')) lost.push([`${ref}/HEAD`, change.now]);
  }
  if (changes.some(({ kind }) => kind === 'staged')) {
    const saved = await stagedCommit(place);
    if (typeof saved === 'string') lost.push([`${ref}/staged`, saved]);
    else return saved.problem;
  }
  if (lost.length === 0) return undefined;
  for (const [name] of lost) keptIn.add(name);
  return await run(['update-ref', '--stdin'], lost.map(([name, id]) => `update ${name} ${id}\n`).join(''));
}

async function stagedCommit(place: SnapshotPlace): Promise<string | { readonly problem: string }> {
  const tree = await findWorkTree(place);
  if (tree === undefined) return { problem: 'the repository cannot be read any more' };
  try {
    return await PrivateRepository.use(tree, async (repository) => {
      const files = await repository.writeIndexTree();
      if (files === undefined) return { problem: 'the index holds an unresolved merge' };
      return text(await repository.git(['commit-tree', files, '-m', 'What an agent had staged against its permissions'], { env: SIGNATURE }));
    });
  } catch (error) {
    if (error instanceof GitRefusal) return { problem: error.message };
    throw error;
  }
}

/** HEAD first, so that a branch is not moved under it; then what was created goes, before what was deleted comes back: one may stand in the other's way. */
async function restoreHeads(changes: readonly RepositoryChange[], run: RunGit): Promise<string[]> {
  const left: string[] = [];
  for (const change of changes) {
    if (change.kind !== 'head' || change.before === '') continue;
    const { before } = change;
    const problem = await run(before.startsWith('ref: ') ? ['symbolic-ref', 'HEAD', before.slice('ref: '.length)] : ['update-ref', '--no-deref', 'HEAD', before]);
    if (problem !== undefined) left.push(`HEAD could not be put back: ${problem}`);
  }
  const refs = changes.filter((change) => change.kind === 'ref');
  for (const change of [...refs.filter(({ before }) => before === undefined), ...refs.filter(({ before }) => before !== undefined)]) {
    const { name, before, now } = change;
    // Only from the value that was seen and kept: whoever moves it meanwhile keeps it.
    const args = before === undefined ? ['update-ref', '-d', name, now ?? ''] : ['update-ref', '--create-reflog', name, before, now ?? '0'.repeat(before.length)];
    const problem = await run(args);
    if (problem !== undefined) left.push(`${name} could not be put back: ${problem}`);
  }
  return left;
}

/** Under git's own lock, so that no git of somebody else's writes it at the same time. */
async function restoreIndex({ index, indexCopy }: RepositoryState, changes: readonly RepositoryChange[]): Promise<string[]> {
  if (!changes.some(({ kind }) => kind === 'staged')) return [];
  if (indexCopy === undefined) return ['what was staged could not be put back: no copy of the index was kept'];
  const lock = `${index}.lock`;
  const prepared = `${index}.relayflow`;
  try {
    await (await open(lock, 'wx')).close();
    try {
      await copyFile(indexCopy, prepared);
      await rename(prepared, index);
    } finally {
      await rm(prepared, { force: true });
      await rm(lock, { force: true });
    }
    return [];
  } catch (error) {
    return [`what was staged could not be put back: ${reason(error)}`];
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
