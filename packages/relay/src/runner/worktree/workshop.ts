import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import type { RunnerRepo, WorkspaceRef } from '../port.js';
import { oneLine, type Git } from '../git/git.js';
import { gitFailure } from '../git/git-failure.js';
import { folderName } from './place.js';
import { listRegistrations, type Registration } from '../git/registrations.js';

/** What the acts of the worktree runner share. */
export interface Workshop {
  readonly git: Git;
  /** Below it is a folder per repository, and in that a folder per ticket. Absolute. */
  readonly root: string;
  readonly baseRef: string | undefined;
  readonly now: () => number;
}

/** The folder of a repository's worktrees as git names it, which follows links. It is made when it is missing. */
export async function folderOfRepo(shop: Workshop, repo: RunnerRepo): Promise<string> {
  const folder = path.join(shop.root, folderName(repo.name));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await realpath(folder);
  } catch (error) {
    throw new RelayError('runner_conflict', `The folder for worktrees ${folder} cannot be made (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`, {
      hint: 'Make room for it, or set runnerConfig.root in config.yaml.',
      cause: error,
    });
  }
}

export async function placeOf(shop: Workshop, at: WorkspaceRef): Promise<string> {
  return path.join(await folderOfRepo(shop, at.repo), folderName(at.ticket));
}

/** Where a repository keeps what all its worktrees share. */
export async function commonDirOf(git: Git, repo: string): Promise<string> {
  const answer = await git({ at: repo, args: ['rev-parse', '--path-format=absolute', '--git-common-dir'] });
  if (answer.exitCode !== 0) throw gitFailure(answer, 'open the repository');
  return await realpath(oneLine(answer));
}

/** The registration of a place. */
export async function registrationAt(registrations: readonly Registration[], place: string): Promise<Registration | undefined> {
  const exactly = registrations.find((registration) => registration.path === place);
  if (exactly !== undefined) return exactly;
  for (const registration of registrations) {
    if ((await realpath(registration.path).catch(() => undefined)) === place) return registration;
  }
  return undefined;
}

/** Drops one registration whose folder is gone. Git refuses when it is locked, or there again. */
export async function dropRegistration(git: Git, repo: string, gone: string): Promise<void> {
  const answer = await git({ at: repo, args: ['worktree', 'remove', gone] });
  if (answer.exitCode === 0) return;
  // Another process was faster.
  if (!(await listRegistrations(git, repo)).some((registration) => registration.path === gone)) return;
  throw gitFailure(answer, `forget the worktree at ${gone}, whose folder is gone`);
}
