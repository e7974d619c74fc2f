import { lstat, readFile, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { missingIsUndefined, some } from '../git/files.js';

/** What is in the place of a ticket's worktree. */
export type Found =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'empty' }
  /** A worktree of the repository, and both know each other. */
  | { readonly kind: 'worktree' }
  /** A worktree of the repository, where one of the two has moved since: git can repair that. */
  | { readonly kind: 'moved' }
  /** Not ours, or not to be trusted. `what` completes "the place holds …". */
  | { readonly kind: 'foreign'; readonly what: string };

/** Looks what is in a place. `commonDir` is where the repository keeps its worktrees' administration. */
export async function lookAt(place: string, commonDir: string): Promise<Found> {
  const there = await lstat(place).catch(missingIsUndefined);
  if (there === undefined) return { kind: 'nothing' };
  if (there.isSymbolicLink()) return { kind: 'foreign', what: 'a link' };
  if (!there.isDirectory()) return { kind: 'foreign', what: 'a file' };
  const names = await readdir(place);
  if (names.length === 0) return { kind: 'empty' };
  const pointer = await stat(path.join(place, '.git')).catch(missingIsUndefined);
  if (pointer === undefined) return { kind: 'foreign', what: `a folder with ${some(names)}` };
  if (pointer.isDirectory()) return { kind: 'foreign', what: 'a repository of its own' };
  return await followPointer(place, commonDir);
}

async function followPointer(place: string, commonDir: string): Promise<Found> {
  const text = await readFile(path.join(place, '.git'), 'utf8');
  if (!text.startsWith('gitdir: ')) return { kind: 'foreign', what: 'a folder with a file .git that is not git\'s' };
  const administration = path.resolve(place, text.slice('gitdir: '.length).replace(/[\r\n]+$/, ''));
  const id = path.basename(administration);
  const own = path.join(commonDir, 'worktrees', id);
  const pointsHere = await realpath(administration).catch(missingIsUndefined);
  const registeredAt = await placeOfAdministration(own);
  if (pointsHere !== undefined && pointsHere !== (await realpath(own).catch(missingIsUndefined))) return { kind: 'foreign', what: 'a worktree of another repository' };
  if (registeredAt === undefined) return { kind: 'foreign', what: 'a worktree that its repository has forgotten' };
  const here = await realpath(place);
  if (registeredAt === place || registeredAt === here) return pointsHere === undefined ? { kind: 'moved' } : { kind: 'worktree' };
  // Where the repository believes it is: still a worktree there means that this one is a copy.
  const still = await stat(path.join(registeredAt, '.git')).catch(missingIsUndefined);
  if (still !== undefined) {
    if ((await realpath(registeredAt)) === here) return { kind: 'worktree' };
    return { kind: 'foreign', what: `a copy of the worktree at ${registeredAt}` };
  }
  return { kind: 'moved' };
}

/** Where a repository believes one of its worktrees to be; `undefined` when it knows no such worktree. */
async function placeOfAdministration(administration: string): Promise<string | undefined> {
  const text = await readFile(path.join(administration, 'gitdir'), 'utf8').catch(missingIsUndefined);
  return text === undefined ? undefined : path.dirname(path.resolve(administration, text.replace(/[\r\n]+$/, '')));
}

/** The folder in which a repository keeps what it knows of the worktree that it believes to be at a path. */
export async function administrationOf(commonDir: string, worktree: string): Promise<string | undefined> {
  const folder = path.join(commonDir, 'worktrees');
  for (const id of (await readdir(folder).catch(missingIsUndefined)) ?? []) {
    const administration = path.join(folder, id);
    if ((await placeOfAdministration(administration)) === worktree) return administration;
  }
  return undefined;
}
