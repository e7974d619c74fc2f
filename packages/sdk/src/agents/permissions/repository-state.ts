import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { isGone } from '../directory/content-cache.js';
import { git } from '../directory/git.js';
import { findWorkTree, type SnapshotPlace } from '../directory/work-tree.js';

/**
 * What an agent can change of a repository without changing a file below its directory: settings and hooks, which decide what programs git runs for
 * others; and, where it may change nothing, branches, HEAD and what is staged.
 */
export interface RepositoryState {
  readonly top: string;
  /** By absolute path. */
  readonly settings: readonly SettingFile[];
  readonly places: SettingPlaces;
  /** The commit HEAD was at; empty before the first one. */
  readonly headCommit: string;
  readonly index: string;
  /** Where the index was copied to; absent when there was none. */
  readonly indexCopy?: string;
  /** Only when everything counts. */
  readonly whole?: WholeState;
}

export interface SettingFile {
  readonly path: string;
  /** Relative to the repository's own folder: `config`, `hooks/pre-commit`. */
  readonly name: string;
  readonly mode: number;
  /** In base64; of a link, what it points at. */
  readonly bytes: string;
  readonly link?: true;
}

export interface SettingPlaces {
  readonly gitDir: string;
  /** Of all linked working trees. */
  readonly common: string;
}

export interface WholeState {
  /** `ref: <branch>`, or the commit of a detached HEAD. */
  readonly head: string;
  /** Object ids by name. Without what other repositories hold (`refs/remotes/`) and our own (`refs/relayflow/`). */
  readonly refs: Readonly<Record<string, string>>;
  /** A digest of the entries of the index. */
  readonly staged: string;
}

/** `undefined` outside a repository. `whole`: branches, HEAD and the index count too. The index is copied to `indexCopy`. */
export async function readRepository(request: { readonly place: SnapshotPlace; readonly whole: boolean; readonly indexCopy: string }): Promise<RepositoryState | undefined> {
  const { place } = request;
  const tree = await findWorkTree(place);
  if (tree === undefined) return undefined;
  const asked = await git({ cwd: place.directory, hostEnv: place.hostEnv, args: ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir'] });
  if (asked.exitCode !== 0) return undefined;
  const [gitDir = '', common = ''] = asked.stdout.toString('utf8').split('\n');
  const places = { gitDir, common };
  const copied = await copyFile(tree.index, request.indexCopy).then(() => true, () => false);
  return {
    top: tree.top, places, settings: readSettings(places), index: tree.index,
    headCommit: await headCommit({ top: tree.top, hostEnv: place.hostEnv }),
    ...(copied ? { indexCopy: request.indexCopy } : {}),
    ...(request.whole ? { whole: await readWhole({ top: tree.top, hostEnv: place.hostEnv }) } : {}),
  };
}

/** The commit HEAD is at; empty before the first one. */
export async function headCommit(at: { readonly top: string; readonly hostEnv: SnapshotPlace['hostEnv'] }): Promise<string> {
  const asked = await git({ cwd: at.top, hostEnv: at.hostEnv, args: ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'] });
  return asked.exitCode === 0 ? asked.stdout.toString('latin1').trim() : '';
}

/** Branches, HEAD and what is staged. */
export async function readWhole({ top, hostEnv }: { readonly top: string; readonly hostEnv: SnapshotPlace['hostEnv'] }): Promise<WholeState> {
  const ask = async (...args: string[]): Promise<Buffer> => (await git({ cwd: top, hostEnv, args })).stdout;
  const [symbolic, commit, listed, entries] = await Promise.all([
    ask('symbolic-ref', '--quiet', 'HEAD'), headCommit({ top, hostEnv }), ask('for-each-ref', '--format=%(refname) %(objectname) %(symref)'), ask('ls-files', '--stage', '-z'),
  ]);
  const refs: Record<string, string> = {};
  for (const line of listed.toString('latin1').split('\n')) {
    const [name = '', id = '', target = ''] = line.split(' ');
    if (name !== '' && target === '' && !name.startsWith('refs/remotes/') && !name.startsWith('refs/relayflow/')) refs[name] = id;
  }
  const branch = symbolic.toString('latin1').trim();
  return { head: branch === '' ? commit : `ref: ${branch}`, refs, staged: createHash('sha256').update(entries).digest('hex') };
}

/** The files of a repository that are settings, and the hooks in it. Hooks elsewhere (`core.hooksPath`) are files like others. */
export function readSettings({ gitDir, common }: SettingPlaces): SettingFile[] {
  const hooks = namesIn(path.join(common, 'hooks')).filter((name) => !name.endsWith('.sample')).map((name) => path.join('hooks', name));
  const names = ['config', 'info/exclude', 'info/attributes', 'info/grafts', ...hooks];
  const found = names.flatMap((name) => settingFile(path.join(common, name), name));
  return [...found, ...['config.worktree', 'info/sparse-checkout'].flatMap((name) => settingFile(path.join(gitDir, name), name))];
}

function settingFile(file: string, name: string): SettingFile[] {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return [{ path: file, name, mode: stats.mode, bytes: Buffer.from(readlinkSync(file)).toString('base64'), link: true }];
    return stats.isFile() ? [{ path: file, name, mode: stats.mode, bytes: readFileSync(file).toString('base64') }] : [];
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
