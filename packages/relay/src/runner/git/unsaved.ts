import { stat } from 'node:fs/promises';
import path from 'node:path';
import { some, missingIsUndefined } from './files.js';
import { gitFailure } from './git-failure.js';
import { oneLine, type Git } from './git.js';

/** What would be lost, or be out of sight, if a worktree went: phrases that complete "it holds …". `branch` is the ticket's, which need not be checked out. */
export async function unsavedWork(git: Git, args: { readonly worktree: string; readonly administration: string; readonly branch: string | undefined; readonly base: string | undefined }): Promise<readonly string[]> {
  const { worktree, administration, branch, base } = args;
  const head = await git({ at: worktree, args: ['symbolic-ref', '--quiet', '--short', 'HEAD'] });
  const current = head.exitCode === 0 ? oneLine(head) : undefined;
  const branches = [...new Set([current, branch])].filter((name) => name !== undefined);
  return [
    ...(await changes(git, worktree)),
    ...(await hiddenChanges(git, worktree)),
    ...(await halfDone(administration)),
    ...(await stashes(git, worktree, current === undefined ? [...branches, '(no branch)'] : branches)),
    ...(await unpushed(git, worktree, { branches, detached: current === undefined, base })),
    ...(await submodules(git, worktree)),
  ];
}

async function changes(git: Git, worktree: string): Promise<readonly string[]> {
  const answer = await git({ at: worktree, args: ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=none'], timeoutMs: 5 * 60_000 });
  if (answer.exitCode !== 0) throw gitFailure(answer, `look for changes in ${worktree}`);
  const lines = answer.stdout.split('\0').filter((line) => line !== '');
  const untracked = lines.filter((line) => line.startsWith('??')).map((line) => line.slice(3));
  const changed = lines.filter((line) => !line.startsWith('??')).map((line) => line.slice(3));
  return [
    ...(changed.length === 0 ? [] : [`${count(changed.length, 'uncommitted file')} (${some(changed)})`]),
    ...(untracked.length === 0 ? [] : [`${count(untracked.length, 'untracked file')} (${some(untracked)})`]),
  ];
}

/** `git status` does not look at files that are marked as assumed to be unchanged, or as not in the worktree. */
async function hiddenChanges(git: Git, worktree: string): Promise<readonly string[]> {
  const listed = await git({ at: worktree, args: ['ls-files', '-v', '-s', '-z'] });
  if (listed.exitCode !== 0) throw gitFailure(listed, `read the index of ${worktree}`);
  const changed: string[] = [];
  for (const entry of listed.stdout.split('\0')) {
    const [, mark = '', , id = '', name = ''] = /^(\S) (\d+) ([0-9a-f]+) \d\t([^]*)$/.exec(entry) ?? [];
    if (!/[a-zS]/.test(mark) || (await stat(path.join(worktree, name)).catch(missingIsUndefined)) === undefined) continue;
    const now = await git({ at: worktree, args: ['hash-object', '--', name] });
    if (now.exitCode === 0 && oneLine(now) !== id) changed.push(name);
  }
  return changed.length === 0 ? [] : [`${count(changed.length, 'changed file')} that git was told not to look at (${some(changed)})`];
}

const OPERATIONS = [
  ['rebase-merge', 'a rebase'], ['rebase-apply', 'a rebase or a series of patches'], ['MERGE_HEAD', 'a merge'], ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'], ['BISECT_LOG', 'a bisection'],
] as const;

async function halfDone(administration: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [file, what] of OPERATIONS) {
    if ((await stat(path.join(administration, file)).catch(missingIsUndefined)) !== undefined) found.push(`${what} that is not finished`);
  }
  return found;
}

/** Stashes are the repository's, but each was made on a branch. */
async function stashes(git: Git, worktree: string, branches: readonly string[]): Promise<readonly string[]> {
  const answer = await git({ at: worktree, args: ['stash', 'list', '-z', '--format=%gs'] });
  if (answer.exitCode !== 0) throw gitFailure(answer, 'list the stashes of the repository');
  const mine = answer.stdout.split('\0').filter((subject) => branches.some((branch) => subject.startsWith(`WIP on ${branch}: `) || subject.startsWith(`On ${branch}: `)));
  return mine.length === 0 ? [] : [`${count(mine.length, 'stash', 'stashes')} made on it`];
}

/** Commits that no branch of a remote has, and the base neither. */
async function unpushed(git: Git, worktree: string, args: { readonly branches: readonly string[]; readonly detached: boolean; readonly base: string | undefined }): Promise<readonly string[]> {
  const { branches, detached, base } = args;
  const found: string[] = [];
  const tips = [...(detached ? [['HEAD', 'no branch'] as const] : []), ...branches.map((name) => [`refs/heads/${name}`, name] as const)];
  for (const [tip, name] of tips) {
    if (tip !== 'HEAD' && (await git({ at: worktree, args: ['show-ref', '--verify', '--quiet', tip] })).exitCode !== 0) continue;
    const answer = await git({ at: worktree, args: ['rev-list', '--count', tip, '--not', '--remotes', ...(base === undefined ? [] : [base])] });
    if (answer.exitCode !== 0) throw gitFailure(answer, `count the commits of ${name}`);
    const commits = Number(oneLine(answer));
    if (commits > 0) found.push(`${count(commits, 'commit')} on ${name} that ${commits === 1 ? 'is' : 'are'} neither pushed nor merged`);
  }
  return found;
}

/** A submodule's repository goes with the worktree that it was initialized in. */
async function submodules(git: Git, worktree: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await initializedSubmodules(git, worktree)) {
    const inner = path.join(worktree, name);
    const answer = await git({ at: inner, args: ['rev-list', '--count', 'HEAD', '--branches', '--not', '--remotes'] });
    const stashed = await git({ at: inner, args: ['stash', 'list', '-z', '--format=%gs'] });
    const commits = answer.exitCode === 0 ? Number(oneLine(answer)) : 0;
    if (commits > 0) found.push(`${count(commits, 'commit')} in the submodule ${name} that ${commits === 1 ? 'is' : 'are'} not pushed`);
    if (stashed.stdout !== '') found.push(`stashes in the submodule ${name}`);
    found.push(...(await submodules(git, inner)));
  }
  return found;
}

async function initializedSubmodules(git: Git, worktree: string): Promise<readonly string[]> {
  const listed = await git({ at: worktree, args: ['ls-files', '-s', '-z'] });
  const names = listed.stdout.split('\0').filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const initialized: string[] = [];
  for (const name of names) {
    if ((await stat(path.join(worktree, name, '.git')).catch(missingIsUndefined)) !== undefined) initialized.push(name);
  }
  return initialized;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
