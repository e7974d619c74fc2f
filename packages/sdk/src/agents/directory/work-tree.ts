import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { constants, lstatSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isGone, statOf } from './content-cache.js';
import { git, joinNames, nameBytes, splitNames, type GitResult } from './git.js';

/** A directory inside a git working tree. */
export interface WorkTree {
  /** Absolute path of the working tree's top. */
  readonly top: string;
  /** The directory below it, with a slash at its end; empty for the top itself. */
  readonly prefix: string;
  readonly index: string;
  readonly objects: string;
  readonly exclude: string;
  readonly objectFormat: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Left out of every tree, like `node_modules` and `.relayflowd`. */
  readonly dataDir: string;
  readonly scratch: string;
}

/** Where a working tree is looked for, and what its handling needs. */
export interface SnapshotPlace {
  /** Absolute real path. */
  readonly directory: string;
  readonly dataDir: string;
  /** Where private repositories are made, and left when this process is killed. Created when it is needed. */
  readonly scratch: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

/** Who our own commits are from. */
export const SIGNATURE = {
  GIT_AUTHOR_NAME: 'relayflows', GIT_AUTHOR_EMAIL: 'relayflows@localhost', GIT_COMMITTER_NAME: 'relayflows', GIT_COMMITTER_EMAIL: 'relayflows@localhost',
};

/** What git said no to, in its own words. */
export class GitRefusal extends Error {}

/** The working tree around a directory; `undefined` when there is none, git is missing, or it does not trust the repository. */
export async function findWorkTree(place: SnapshotPlace): Promise<WorkTree | undefined> {
  const { directory, dataDir, scratch, hostEnv } = place;
  const asked = await git({
    cwd: directory, hostEnv,
    args: ['rev-parse', '--path-format=absolute', '--show-object-format', '--show-toplevel', '--git-path', 'index', '--git-path', 'objects', '--git-path', 'info/exclude', '--show-prefix'],
  });
  if (asked.exitCode !== 0) return undefined;
  const [objectFormat = '', top = '', index = '', objects = '', exclude = '', prefix = ''] = asked.stdout.toString('utf8').split('\n');
  return { top, prefix, index, objects, exclude, objectFormat, hostEnv, dataDir, scratch };
}

/**
 * A git directory of our own next to a working tree: same objects, same files, but its own index, no configuration and no attributes.
 * Files enter trees as the bytes they are and leave them so, whatever the user set up; and nothing the user sees changes.
 */
export class PrivateRepository {
  readonly #tree: WorkTree;
  readonly #directory: string;
  readonly #excludesFile: string;

  private constructor(tree: WorkTree, directory: string, excludesFile: string) {
    this.#tree = tree;
    this.#directory = directory;
    this.#excludesFile = excludesFile;
  }

  /** Makes one, hands it over, and removes it. */
  static async use<T>(tree: WorkTree, work: (repository: PrivateRepository) => Promise<T>): Promise<T> {
    await mkdir(tree.scratch, { recursive: true });
    const directory = await mkdtemp(path.join(tree.scratch, 'git-'));
    try {
      await furnish(directory, tree);
      const repository = new PrivateRepository(tree, directory, await userExcludes(tree));
      await copyIndex(tree.index, directory);
      return await work(repository);
    } finally {
      await rm(directory, { recursive: true, force: true });
      // Somebody else may be using the folder around it.
      await rmdir(tree.scratch).catch(() => undefined);
    }
  }

  get indexFile(): string {
    return path.join(this.#directory, 'index');
  }

  /** Runs git on the private index. Throws {@link GitRefusal} when it fails. */
  async git(args: readonly string[], options: { readonly input?: Uint8Array; readonly env?: Readonly<Record<string, string>>; readonly allow?: readonly number[] } = {}): Promise<GitResult> {
    const result = await git({
      cwd: this.#tree.top,
      hostEnv: this.#tree.hostEnv,
      args: ['-c', `core.excludesFile=${this.#excludesFile}`, ...args],
      env: {
        GIT_DIR: this.#directory, GIT_WORK_TREE: this.#tree.top, GIT_INDEX_FILE: this.indexFile, GIT_OBJECT_DIRECTORY: this.#tree.objects,
        GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...options.env,
      },
      ...(options.input === undefined ? {} : { input: options.input }),
    });
    if (result.exitCode === 0 || options.allow?.includes(result.exitCode) === true) return result;
    throw new GitRefusal(`git ${args[0] ?? ''} failed: ${result.stderr}`);
  }

  /** The index as a tree; `undefined` while it holds an unresolved merge. */
  async writeIndexTree(): Promise<string | undefined> {
    try {
      return text(await this.git(['write-tree', '--missing-ok']));
    } catch (error) {
      if (error instanceof GitRefusal) return undefined;
      throw error;
    }
  }

  /** Tracked files that differ from the index, and untracked ones that are not ignored, below the directory. Submodules and other repositories are left out. */
  async pendingNames(): Promise<string[]> {
    const below = this.#tree.prefix === '' ? [] : ['--', this.#tree.prefix];
    const [tracked, untracked] = await Promise.all([
      this.git(['diff-files', '--name-only', '-z', '--ignore-submodules=all', ...below]),
      this.git(['ls-files', '-z', '--others', '--exclude-standard', ...below]),
    ]);
    return [...new Set([...splitNames(tracked.stdout), ...splitNames(untracked.stdout)])].filter((name) => !name.endsWith('/'));
  }

  /** Puts files into the index as they are now, and takes out what is no file any more. */
  async update(names: readonly string[]): Promise<void> {
    const present = names.filter((name) => isFile(this.#tree, name));
    const gone = names.filter((name) => !present.includes(name));
    if (gone.length > 0) await this.git(['update-index', '--force-remove', '-z', '--stdin'], { input: joinNames(gone) });
    if (present.length > 0) await this.git(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: joinNames(present) });
  }
}

/** Absolute path of a name in a working tree. */
export function fileOf(tree: WorkTree, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${tree.top}/`), nameBytes(name)]);
}

export function kindOf(tree: WorkTree, name: string): 'file' | 'directory' | 'nothing' {
  try {
    return lstatSync(fileOf(tree, name)).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    if (isGone(error)) return 'nothing';
    throw error;
  }
}

/** Whether every folder on the way to a file is a real folder, or is still to be made. */
export function hasFreeWay(tree: WorkTree, name: string): boolean {
  for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) {
    const kind = kindOf(tree, name.slice(0, end));
    if (kind === 'nothing') return true;
    if (kind === 'file') return false;
  }
  return true;
}

/** Whether there is a file or a link of this name, and not just behind a link. */
export function isFile(tree: WorkTree, name: string): boolean {
  return kindOf(tree, name) === 'file' && hasFreeWay(tree, name);
}

/** The name of an object in a command's output. */
export function text(result: GitResult): string {
  return result.stdout.toString('latin1').trim();
}

/** How many bytes the named files have together; what is gone has none. */
export function totalSize(tree: WorkTree, names: readonly string[]): number {
  let bytes = 0;
  for (const name of names) bytes += statOf(fileOf(tree, name))?.size ?? 0;
  return bytes;
}

async function copyIndex(index: string, directory: string): Promise<void> {
  const from = path.dirname(index);
  const parts = (await readdir(from)).filter((name) => name.startsWith('sharedindex.'));
  for (const name of [path.basename(index), ...parts]) {
    const copy = path.join(directory, name);
    try {
      const { mtimeMs } = await stat(path.join(from, name));
      await copyFile(path.join(from, name), copy, constants.COPYFILE_FICLONE);
      // Git looks again at files as young as the index. A copy that seemed younger would hide an edit made in the moment after `git add`.
      const seconds = Math.floor(mtimeMs) / 1_000;
      await utimes(copy, seconds, seconds);
    } catch (error) {
      // A repository in which nothing was ever added has no index.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function furnish(directory: string, tree: WorkTree): Promise<void> {
  const sha256 = tree.objectFormat === 'sha256';
  await Promise.all([mkdir(path.join(directory, 'objects')), mkdir(path.join(directory, 'refs')), mkdir(path.join(directory, 'info'))]);
  const ignored = await readFile(tree.exclude, 'latin1').catch(() => '');
  const data = path.relative(tree.top, tree.dataDir);
  const own = ['node_modules/', '.relayflowd/', ...(data === '' || data.startsWith('..') ? [] : [`/${data}/`])];
  await Promise.all([
    writeFile(path.join(directory, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(path.join(directory, 'config'), `[core]\n\trepositoryformatversion = ${sha256 ? 1 : 0}\n\tbare = false\n${sha256 ? '[extensions]\n\tobjectformat = sha256\n' : ''}`),
    writeFile(path.join(directory, 'info', 'attributes'), '* -text -filter -ident -working-tree-encoding\n'),
    writeFile(path.join(directory, 'info', 'exclude'), `${ignored}\n${own.join('\n')}\n`, 'latin1'),
  ]);
}

async function userExcludes(tree: WorkTree): Promise<string> {
  const asked = await git({ cwd: tree.top, hostEnv: tree.hostEnv, args: ['config', '--type=path', '--get', 'core.excludesFile'] });
  if (asked.exitCode === 0) return path.resolve(tree.top, asked.stdout.toString('utf8').trimEnd());
  const home = tree.hostEnv['XDG_CONFIG_HOME'] ?? path.join(tree.hostEnv['HOME'] ?? os.homedir(), '.config');
  return path.join(home, 'git', 'ignore');
}
