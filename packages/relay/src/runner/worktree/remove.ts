import { randomBytes } from 'node:crypto';
import { chmod, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import type { WorkspaceRef } from '../port.js';
import { commitOf } from '../git/base.js';
import { lookAt } from './found.js';
import { gitFailure } from '../git/git-failure.js';
import { branchName, folderName } from './place.js';
import { listRegistrations, type Registration } from '../git/registrations.js';
import { baseCommit, refuseUnsaved } from '../git/refuse-unsaved.js';
import { commonDirOf, dropRegistration, placeOf, registrationAt, type Workshop } from './workshop.js';

/** No ticket's folder begins with a dot. */
const LEFTOVER = /^\.removing-.+-[0-9a-f]{8}$/;

/**
 * Removes a worktree that holds nothing unsaved. Its folder is renamed first, which cannot be half done; then it is forgotten, then the renamed folder deleted. So a
 * call that was cut short leaves nothing that looks like work, and the next one finishes it.
 */
export async function removeWorktree(shop: Workshop, at: WorkspaceRef): Promise<void> {
  const { git } = shop;
  const repo = at.repo.path;
  const place = await placeOf(shop, at);
  const branch = branchName(at.ticket);
  await deleteLeftovers(path.dirname(place), at.ticket);
  const commonDir = await commonDirOf(git, repo);
  let found = await lookAt(place, commonDir);
  if (found.kind === 'moved') {
    const repaired = await git({ at: repo, args: ['worktree', 'repair', place] });
    found = await lookAt(place, commonDir);
    if (found.kind === 'moved') throw gitFailure(repaired, `repair the worktree at ${place}, which was moved`);
  }
  const registrations = await listRegistrations(git, repo);
  const here = await registrationAt(registrations, place);
  if (found.kind === 'foreign') {
    throw new RelayError('runner_conflict', `The place of the worktree, ${place}, holds ${found.what}, so it was not removed.`, {
      hint: 'Nothing in it was touched. Move it somewhere else or delete it.',
      evidence: { place },
    });
  }
  if (here?.locked !== undefined) refuseLocked(here);
  const base = await baseCommit(git, { repo, baseRef: shop.baseRef, registrations });
  if (found.kind === 'worktree') {
    await refuseUnsaved(git, { worktree: place, branch, base, now: shop.now() });
    await rename(place, path.join(path.dirname(place), `.removing-${folderName(at.ticket)}-${randomBytes(4).toString('hex')}`));
  } else if (found.kind === 'empty') {
    await rmdir(place);
  }
  if (here !== undefined && !here.main) await dropRegistration(git, repo, here.path);
  await deleteLeftovers(path.dirname(place), at.ticket);
  await deleteMergedBranch(shop, { repo, branch, base });
}

/** Deletes what removals that were cut short left of a ticket's folder; of all tickets of the repository when none is named. */
export async function deleteLeftovers(folderOfRepo: string, ticket?: string): Promise<void> {
  for (const name of await readdir(folderOfRepo)) {
    if (LEFTOVER.test(name) && (ticket === undefined || name.slice(0, -9) === `.removing-${folderName(ticket)}`)) await deleteFolder(path.join(folderOfRepo, name));
  }
}

async function deleteFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    try {
      // Folders that nobody may write to, such as the caches of some package managers.
      await makeWritable(folder);
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      throw new RelayError('runner_conflict', `What is left of a removed worktree, ${folder}, cannot be deleted (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`, {
        hint: 'Delete it by hand. Nothing in it is needed.',
        cause: error,
      });
    }
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(path.join(folder, entry.name));
  }
}

function refuseLocked(here: Registration): never {
  throw new RelayError('runner_conflict', `The worktree at ${here.path} is locked${here.locked === '' ? '' : ` (${here.locked ?? ''})`}, so it was not removed.`, {
    hint: 'Unlock it with "git worktree unlock" when it is not needed.',
    evidence: { path: here.path },
  });
}

async function deleteMergedBranch(shop: Workshop, args: { readonly repo: string; readonly branch: string; readonly base: string | undefined }): Promise<void> {
  const { git } = shop;
  const { repo, branch, base } = args;
  const tip = await commitOf(git, repo, `refs/heads/${branch}`);
  if (tip === undefined || base === undefined) return;
  if ((await git({ at: repo, args: ['merge-base', '--is-ancestor', tip, base] })).exitCode !== 0) return;
  // Git refuses when somebody has checked it out elsewhere; then it is theirs.
  await git({ at: repo, args: ['branch', '-D', '--quiet', '--', branch] });
}
