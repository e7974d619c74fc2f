import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { missingIsUndefined } from '../git/files.js';
import type { Git } from '../git/git.js';
import { baseCommit, refuseUnsaved } from '../git/refuse-unsaved.js';
import { listRegistrations } from '../git/registrations.js';
import type { RunnerRepo, Workspace, WorkspaceRef, WorkspaceStatus } from '../port.js';
import { makeOrFind } from './again.js';
import { baseBranch } from './base-branch.js';
import { ACT_MS, LOOK_MS, MAKE_MS, decodeResult, refused, type Orca } from './call.js';
import { NO_SUCH } from './codes.js';
import { requireRepo } from './repos.js';

const worktreeList = z.object({
  worktrees: z.array(z.object({ id: z.string(), repoId: z.string(), displayName: z.string().catch(''), branch: z.string().nullish(), path: z.string(), isMainWorktree: z.boolean().catch(false) })),
  truncated: z.boolean().catch(false),
});

export type OrcaWorktree = z.infer<typeof worktreeList>['worktrees'][number];

interface Known {
  readonly worktrees: readonly OrcaWorktree[];
  readonly main: OrcaWorktree | undefined;
  /** Some were left out: one that is not listed may exist. */
  readonly truncated: boolean;
}

async function listOf(orca: Orca, repo: RunnerRepo): Promise<Known & { readonly repoId: string }> {
  const { id: repoId } = await requireRepo(orca, repo);
  const answer = await orca({ verb: 'worktree list', args: [], timeoutMs: LOOK_MS });
  if (!answer.ok) throw refused('worktree list', answer);
  const { worktrees, truncated } = decodeResult('worktree list', worktreeList, answer.result);
  const own = worktrees.filter((worktree) => worktree.repoId === repoId);
  return { repoId, worktrees: own.filter((worktree) => !worktree.isMainWorktree), main: own.find((worktree) => worktree.isMainWorktree), truncated };
}

function pick(known: Known, at: WorkspaceRef): OrcaWorktree | undefined {
  const found = known.worktrees.filter((worktree) => worktree.displayName === at.ticket);
  if (found.length > 1) {
    throw new RelayError('runner_conflict', `Orca has ${found.length} worktrees called ${at.ticket} in the repository ${at.repo.name}.`, { hint: 'Rename or remove all but one.', evidence: { paths: found.map(({ path }) => path) } });
  }
  if (found[0] === undefined && known.truncated) {
    throw new RelayError('runner_conflict', `Orca lists only some of its worktrees, so whether ticket ${at.ticket} has one is not known.`, { hint: 'Remove worktrees that are not needed in Orca.' });
  }
  return found[0];
}

/** The ticket's worktree; `undefined` when there is none. Throws `runner_conflict` when that cannot be known. */
export async function findWorktree(orca: Orca, at: WorkspaceRef): Promise<OrcaWorktree | undefined> {
  return pick(await listOf(orca, at.repo), at);
}

export async function listWorktrees(orca: Orca, repo: RunnerRepo): Promise<readonly Workspace[]> {
  const { worktrees, truncated } = await listOf(orca, repo);
  if (truncated) throw new RelayError('runner_conflict', 'Orca lists only some of its worktrees.', { hint: 'Remove worktrees that are not needed in Orca.' });
  return worktrees.map((worktree) => toWorkspace(worktree));
}

export async function ensureWorktree(orca: Orca, git: Git, args: { readonly at: WorkspaceRef; readonly baseRef: string | undefined }): Promise<Workspace> {
  const { at, baseRef } = args;
  const known = await listOf(orca, at.repo);
  const found = pick(known, at) ?? (await create(orca, git, { at, baseRef, known }));
  if ((await stat(found.path).catch(missingIsUndefined)) === undefined) {
    throw new RelayError('runner_conflict', `The folder of the worktree that Orca has for ticket ${at.ticket}, ${found.path}, is gone.`, { hint: 'Bring it back, or remove the worktree in Orca.' });
  }
  return toWorkspace(found);
}

async function create(orca: Orca, git: Git, args: { readonly at: WorkspaceRef; readonly baseRef: string | undefined; readonly known: Awaited<ReturnType<typeof listOf>> }): Promise<OrcaWorktree> {
  const { at, baseRef, known: { repoId, main } } = args;
  if (main === undefined) throw new RelayError('runner_conflict', `Orca lists no main worktree of the repository ${at.repo.name}.`, { hint: 'Add the repository in Orca again.' });
  const base = await baseBranch(git, { repo: at.repo.path, ticket: at.ticket, baseRef, mainBranch: main.branch ?? undefined });
  return await makeOrFind({
    async make() {
      // Without a parent it would become a child of the worktree in which the server was started.
      const answer = await orca({ verb: 'worktree create', args: ['--name', at.ticket, '--repo', `id:${repoId}`, '--parent-worktree', `worktree:${main.id}`, '--base-branch', base], timeoutMs: MAKE_MS });
      if (!answer.ok) throw refused('worktree create', answer);
      const made = await findWorktree(orca, at);
      if (made === undefined) throw new RelayError('runner_unavailable', `Orca does not list the worktree that it made for ticket ${at.ticket}.`);
      return made;
    },
    look: () => findWorktree(orca, at),
  });
}

export async function setWorktreeStatus(orca: Orca, args: { readonly at: WorkspaceRef; readonly status: WorkspaceStatus }): Promise<void> {
  const found = await findWorktree(orca, args.at);
  if (found === undefined) return;
  const answer = await orca({ verb: 'worktree set', args: ['--worktree', `id:${found.id}`, '--workspace-status', args.status], timeoutMs: ACT_MS });
  if (!answer.ok && answer.code !== NO_SUCH) throw refused('worktree set', answer);
}

/** Orca deletes the branch that is checked out together with the worktree, unmerged commits or not. So what is not saved is looked for before. */
export async function removeWorktree(orca: Orca, git: Git, args: { readonly at: WorkspaceRef; readonly baseRef: string | undefined; readonly now: number }): Promise<void> {
  const { at, baseRef, now } = args;
  const found = await findWorktree(orca, at);
  if (found === undefined) return;
  const there = (await stat(found.path).catch(missingIsUndefined)) !== undefined;
  if (there) {
    const base = await baseCommit(git, { repo: at.repo.path, baseRef, registrations: await listRegistrations(git, at.repo.path) });
    await refuseUnsaved(git, { worktree: found.path, branch: toWorkspace(found).branch, base, now });
  }
  // Never forced: a change that comes after our look makes Orca refuse.
  try {
    const answer = await orca({ verb: 'worktree rm', args: ['--worktree', `id:${found.id}`], timeoutMs: MAKE_MS });
    if (answer.ok || answer.code === NO_SUCH) return;
    const refusal = refused('worktree rm', answer);
    throw refusal.code === 'runner_rejected' ? new RelayError('runner_conflict', refusal.text, { hint: `Look at ${found.path}, and remove the worktree in Orca.`, evidence: refusal.evidence }) : refusal;
  } catch (error) {
    // It may have had its effect.
    if ((await findWorktree(orca, at).catch(() => found)) !== undefined) throw error;
  }
}

function toWorkspace({ displayName, path, branch }: OrcaWorktree): Workspace {
  const short = branch?.replace(/^refs\/heads\//, '') ?? '';
  return { ticket: displayName, path, ...(short === '' ? {} : { branch: short }) };
}
