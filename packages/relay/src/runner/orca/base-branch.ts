import type { Git } from '../git/git.js';

/** Of the branches that exist, the one that belongs to a ticket: its name holds the key, as a word of its own. `RUN-1` is not in `RUN-12`. */
export function branchOfTicket(branches: readonly string[], ticket: string): string | undefined {
  const holding = branches.filter((branch) => holdsKey(branch, ticket));
  // The ticket's very name before those that only hold it.
  return holding.find((branch) => branch === ticket) ?? holding.find((branch) => branch.endsWith(`/${ticket}`)) ?? holding[0];
}

/** What the branch of a ticket begins at: a branch that exists for it, else the configured one, else what the main worktree is on, else `main`. */
export async function baseBranch(git: Git, args: { readonly repo: string; readonly ticket: string; readonly baseRef: string | undefined; readonly mainBranch: string | undefined }): Promise<string> {
  const listed = await git({ at: args.repo, args: ['branch', '-a', '--list', '--format=%(refname:short)'] });
  const branches = listed.stdout.split('\n').filter((name) => name !== '' && !name.startsWith('('));
  return branchOfTicket(branches, args.ticket) ?? args.baseRef ?? args.mainBranch?.replace(/^refs\/heads\//, '') ?? 'main';
}

function holdsKey(branch: string, key: string): boolean {
  for (let at = branch.indexOf(key); at >= 0; at = branch.indexOf(key, at + 1)) {
    if (!/[\p{L}\p{N}]$/u.test(branch.slice(0, at)) && !/^[.-]?\p{N}|^\p{L}/u.test(branch.slice(at + key.length))) return true;
  }
  return false;
}
