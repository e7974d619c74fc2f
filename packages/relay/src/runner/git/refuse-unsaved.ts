import { stat } from 'node:fs/promises';
import path from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import { findBase } from './base.js';
import { missingIsUndefined } from './files.js';
import { gitFailure } from './git-failure.js';
import { oneLine, type Git } from './git.js';
import type { Registration } from './registrations.js';
import { unsavedWork } from './unsaved.js';

/** A lock of git's that is younger belongs to a git that may be at work; an older one was left by one that was killed. */
const LOCK_MS = 10 * 60_000;

/** Throws `runner_unsaved_work` while a worktree holds what would be lost with it, `runner_unavailable` while a git is at work in it. */
export async function refuseUnsaved(git: Git, args: { readonly worktree: string; readonly branch: string | undefined; readonly base: string | undefined; readonly now: number }): Promise<void> {
  const { worktree, branch, base, now } = args;
  const administration = await git({ at: worktree, args: ['rev-parse', '--absolute-git-dir'] });
  if (administration.exitCode !== 0) throw gitFailure(administration, `open the worktree at ${worktree}`);
  await refuseWhileGitWorks(oneLine(administration), now);
  const unsaved = await unsavedWork(git, { worktree, administration: oneLine(administration), branch, base });
  if (unsaved.length === 0) return;
  throw new RelayError('runner_unsaved_work', `The worktree at ${worktree} was not removed, because it holds ${listed(unsaved)}.`, {
    hint: 'Commit and push what is needed, or throw it away; then remove the worktree again.',
    evidence: { path: worktree, branch: branch ?? null, unsaved },
  });
}

/** The commit of the base; `undefined` when there is none, so that nothing counts as merged. */
export async function baseCommit(git: Git, args: { readonly repo: string; readonly baseRef: string | undefined; readonly registrations: readonly Registration[] }): Promise<string | undefined> {
  try {
    return (await findBase(git, args)).commit;
  } catch {
    return undefined;
  }
}

async function refuseWhileGitWorks(administration: string, now: number): Promise<void> {
  for (const name of ['index.lock', 'HEAD.lock']) {
    const lock = path.join(administration, name);
    const made = (await stat(lock).catch(missingIsUndefined))?.mtimeMs;
    if (made === undefined || now - made > LOCK_MS) continue;
    throw new RelayError('runner_unavailable', `The worktree was not removed, because a git is at work in it, or was killed a moment ago and left ${lock}.`, {
      hint: `If no git is running there, delete ${lock}.`,
      evidence: { lock },
    });
  }
}

function listed(things: readonly string[]): string {
  return things.length < 2 ? things.join('') : `${things.slice(0, -1).join(', ')} and ${things.at(-1) ?? ''}`;
}
