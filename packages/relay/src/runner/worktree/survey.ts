import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { RunnerRepo, Workspace } from '../port.js';
import { missingIsUndefined } from '../git/files.js';
import { lookAt } from './found.js';
import { keepDetachedCommits } from './keep.js';
import { isWithin, keyOf } from './place.js';
import { listRegistrations } from '../git/registrations.js';
import { deleteLeftovers } from './remove.js';
import { commonDirOf, dropRegistration, folderOfRepo, type Workshop } from './workshop.js';

/** The worktrees of tickets: those in their place, with their folder. */
export async function listWorktrees(shop: Workshop, repo: RunnerRepo): Promise<readonly Workspace[]> {
  const folder = await folderOfRepo(shop, repo);
  const worktrees: Workspace[] = [];
  for (const { path: at, branch } of await listRegistrations(shop.git, repo.path)) {
    const ticket = path.dirname(at) === folder ? keyOf(path.basename(at)) : undefined;
    if (ticket === undefined || (await stat(at).catch(missingIsUndefined)) === undefined) continue;
    worktrees.push({ ticket, path: at, ...(branch === undefined ? {} : { branch }) });
  }
  return worktrees;
}

/**
 * Forgets registrations of tickets' worktrees whose folder is gone, but not those that are locked, nor those of people, whose folder may be on a drive.
 * Folders that were moved into their place are made known again first. Answers with the paths that were forgotten.
 */
export async function pruneWorktrees(shop: Workshop, repo: RunnerRepo): Promise<readonly string[]> {
  const folder = await folderOfRepo(shop, repo);
  const commonDir = await commonDirOf(shop.git, repo.path);
  await deleteLeftovers(folder);
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name);
    // What cannot be repaired is named when its ticket is worked on.
    if ((await lookAt(place, commonDir)).kind === 'moved') await shop.git({ at: repo.path, args: ['worktree', 'repair', place] });
  }
  const forgotten: string[] = [];
  for (const registration of await listRegistrations(shop.git, repo.path)) {
    const ours = isWithin(folder, registration.path) || registration.branch?.startsWith('relay/') === true;
    if (registration.main || registration.locked !== undefined || !ours || (await stat(registration.path).catch(missingIsUndefined)) !== undefined) continue;
    await keepDetachedCommits(shop, repo.path, registration);
    await dropRegistration(shop.git, repo.path, registration.path);
    forgotten.push(registration.path);
  }
  return forgotten;
}
