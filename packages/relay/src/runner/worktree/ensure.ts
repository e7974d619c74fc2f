import { rmdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RelayError } from '../../errors/relay-error.js';
import type { Workspace, WorkspaceRef } from '../port.js';
import { findBase, commitOf, mainRemote } from '../git/base.js';
import { missingIsUndefined } from '../git/files.js';
import { administrationOf, lookAt } from './found.js';
import { gitFailure } from '../git/git-failure.js';
import type { GitAnswer } from '../git/git.js';
import { keepDetachedCommits } from './keep.js';
import { branchName } from './place.js';
import { planWorkspace, type Situation } from './plan.js';
import { listRegistrations, type Registration } from '../git/registrations.js';
import { commonDirOf, dropRegistration, placeOf, registrationAt, type Workshop } from './workshop.js';

/** A checkout of a large repository with large files can take this long. */
const ADD_MS = 15 * 60_000;
/** Each round brings it one step nearer: forget, repair, clear, add, use. One more for a race that was lost. */
const ROUNDS = 8;
/** Most worktrees that another process is making are there in a moment. */
const WAITS = 20;
const WAIT_MS = 100;

/** Looks, takes the next step, and looks again, until the worktree is there. So it does not matter what a call before it got done, or whether another is at it. */
export async function ensureWorktree(shop: Workshop, at: WorkspaceRef): Promise<Workspace> {
  const { git } = shop;
  const repo = at.repo.path;
  const place = await placeOf(shop, at);
  const branch = branchName(at.ticket);
  let failed: GitAnswer | undefined;
  let repaired: GitAnswer | undefined;
  let waits = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const registrations = await listRegistrations(git, repo);
    const situation = await look(shop, { repo, place, branch, registrations });
    const plan = planWorkspace(situation);
    switch (plan.act) {
      case 'use': {
        const now = situation.here?.branch;
        return { ticket: at.ticket, path: place, ...(now === undefined ? {} : { branch: now }), ...(plan.note === undefined ? {} : { note: plan.note }) };
      }
      case 'refuse':
        throw new RelayError('runner_conflict', plan.text, { hint: plan.hint, evidence: { place, branch } });
      case 'wait':
        if (waits < WAITS) {
          waits += 1;
          round -= 1;
          await setTimeout(WAIT_MS);
          break;
        }
        throw new RelayError('runner_unavailable', plan.text, { evidence: { place } });
      case 'forget':
        await keepDetachedCommits(shop, repo, registrations.find((each) => each.path === plan.path));
        await dropRegistration(git, repo, plan.path);
        break;
      case 'repair': {
        // It fails as well when it could not repair another one, so what counts is whether this one still needs it.
        if (repaired !== undefined) throw gitFailure(repaired, `repair the worktree at ${place}, which was moved`);
        repaired = await git({ at: repo, args: ['worktree', 'repair', place] });
        break;
      }
      case 'clear': {
        if (situation.found.kind === 'empty') await rmdir(place);
        // Twice forced: it carries the lock of the git that was killed.
        const cleared = await git({ at: repo, args: ['worktree', 'remove', '--force', '--force', place] });
        if (cleared.exitCode !== 0) throw gitFailure(cleared, `take away the unfinished worktree at ${place}`);
        break;
      }
      case 'add': {
        // A failure is looked at only when the worktree is still missing afterwards: a hook of the repository may have failed, or the answer was lost.
        if (failed !== undefined && !worthAnotherTry(failed)) throw addFailure(failed, branch, place);
        failed = await add(shop, { repo, place, branch, registrations });
        break;
      }
    }
  }
  throw failed === undefined ? new RelayError('runner_unavailable', `The worktree at ${place} changes while it is being made.`) : addFailure(failed, branch, place);
}

async function add(shop: Workshop, args: { readonly repo: string; readonly place: string; readonly branch: string; readonly registrations: readonly Registration[] }): Promise<GitAnswer> {
  const { git } = shop;
  const { repo, place, branch, registrations } = args;
  const run = async (...rest: readonly string[]): Promise<GitAnswer> => {
    const answer = await git({ at: repo, args: ['worktree', 'add', '--quiet', ...rest], timeoutMs: ADD_MS });
    return answer.exitCode === 0 ? { ...answer, stderr: '' } : answer;
  };
  if ((await commitOf(git, repo, `refs/heads/${branch}`)) !== undefined) return await run(place, branch);
  // Somebody pushed it from another machine: going on elsewhere would make two branches of one name.
  const remote = await mainRemote(git, repo);
  const pushed = remote === undefined ? undefined : `refs/remotes/${remote}/${branch}`;
  if (pushed !== undefined && (await commitOf(git, repo, pushed)) !== undefined) return await run('--track', '-b', branch, place, pushed);
  const base = await findBase(git, { repo, baseRef: shop.baseRef, registrations });
  return await run('--no-track', '-b', branch, place, base.commit);
}

async function look(shop: Workshop, args: { readonly repo: string; readonly place: string; readonly branch: string; readonly registrations: readonly Registration[] }): Promise<Situation> {
  const { repo, place, branch, registrations } = args;
  const commonDir = await commonDirOf(shop.git, repo);
  const found = await lookAt(place, commonDir);
  const here = await registrationAt(registrations, place);
  const other = registrations.find((each) => each !== here && each.branch === branch);
  const unfinished = found.kind !== 'foreign' && here?.locked === 'initializing' ? await ageOf(shop, commonDir, here.path) : undefined;
  return {
    place,
    branch,
    found,
    ...(here === undefined ? {} : { here }),
    ...(other === undefined ? {} : { elsewhere: { registration: other, gone: (await stat(other.path).catch(missingIsUndefined)) === undefined } }),
    ...(unfinished === undefined ? {} : { unfinished }),
  };
}

/** Git locks a worktree while it makes it. One that was locked longer ago than making one may take, or before the machine was started, was given up. */
async function ageOf(shop: Workshop, commonDir: string, place: string): Promise<'young' | 'old' | undefined> {
  const administration = await administrationOf(commonDir, place);
  const made = administration === undefined ? undefined : (await stat(path.join(administration, 'locked')).catch(missingIsUndefined))?.mtimeMs;
  if (made === undefined) return undefined;
  const started = shop.now() - os.uptime() * 1_000;
  return made < started || shop.now() - made > ADD_MS ? 'old' : 'young';
}

/** The race with another process is lost when it made the branch or the folder in between; a lock is let go in a moment. */
function worthAnotherTry(failed: GitAnswer): boolean {
  return failed.failure === undefined && /already exists|File exists|cannot lock ref.*(?:reference already exists|is at)/.test(failed.stderr);
}

function addFailure(failed: GitAnswer, branch: string, place: string): RelayError {
  const inTheWay = /cannot lock ref 'refs\/heads\/[^']+': 'refs\/heads\/([^']+)' exists/.exec(failed.stderr)?.[1];
  if (inTheWay !== undefined) {
    return new RelayError('runner_conflict', `The branch ${branch} cannot be made, because there is a branch ${inTheWay}.`, { hint: `Rename the branch ${inTheWay}.`, evidence: { place, branch } });
  }
  return gitFailure(failed, `make the worktree at ${place}`);
}
