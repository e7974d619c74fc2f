import { RelayError } from '../../errors/relay-error.js';
import { oneLine, type Git } from './git.js';
import type { Registration } from './registrations.js';

/** What a ticket's branch begins at. */
export interface Base {
  /** As people name it. */
  readonly name: string;
  readonly commit: string;
}

/**
 * The configured reference, else the default branch of the remote if it is known here, else the branch of the main worktree, else what is checked out there.
 * Nothing is fetched. Throws `runner_rejected` for a reference that is not there, `runner_conflict` when there is no commit at all.
 */
export async function findBase(git: Git, args: { readonly repo: string; readonly baseRef: string | undefined; readonly registrations: readonly Registration[] }): Promise<Base> {
  const { repo, baseRef, registrations } = args;
  if (baseRef !== undefined) {
    const commit = await commitOf(git, repo, baseRef);
    if (commit !== undefined) return { name: baseRef, commit };
    throw new RelayError('runner_rejected', `The repository at ${repo} has no ${baseRef}, which runnerConfig.baseRef names.`, { hint: 'Fetch it, or correct runnerConfig.baseRef in config.yaml.' });
  }
  const main = registrations[0];
  const candidates = [
    await remoteDefault(git, repo),
    main?.branch === undefined ? await symbolicRef(git, repo, 'HEAD') : `refs/heads/${main.branch}`,
    main?.head,
    'HEAD',
  ];
  for (const candidate of candidates) {
    const commit = candidate === undefined ? undefined : await commitOf(git, repo, candidate);
    if (candidate !== undefined && commit !== undefined) return { name: candidate.replace(/^refs\/(?:heads|remotes)\//, ''), commit };
  }
  throw new RelayError('runner_conflict', `The repository at ${repo} has no commit yet, so a branch for a ticket has nothing to begin at.`, { hint: 'Make a first commit.' });
}

/** The remote that names without one mean: `origin`, else the only one. */
export async function mainRemote(git: Git, repo: string): Promise<string | undefined> {
  const remotes = (await git({ at: repo, args: ['remote'] })).stdout.split('\n').filter((name) => name !== '');
  return remotes.includes('origin') ? 'origin' : remotes.length === 1 ? remotes[0] : undefined;
}

/** The commit that a name stands for; `undefined` when there is none. */
export async function commitOf(git: Git, repo: string, name: string): Promise<string | undefined> {
  const answer = await git({ at: repo, args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`] });
  return answer.exitCode === 0 ? oneLine(answer) : undefined;
}

async function remoteDefault(git: Git, repo: string): Promise<string | undefined> {
  const remote = await mainRemote(git, repo);
  return remote === undefined ? undefined : await symbolicRef(git, repo, `refs/remotes/${remote}/HEAD`);
}

async function symbolicRef(git: Git, repo: string, name: string): Promise<string | undefined> {
  const answer = await git({ at: repo, args: ['symbolic-ref', '--quiet', name] });
  return answer.exitCode === 0 ? oneLine(answer) : undefined;
}
