import { FlowsError } from '../../errors/flows-error.js';
import type { Environment } from '../environment.js';
import { canceled } from '../http/pace.js';
import { runProgram } from '../program.js';

/** What the folder asks the remote before it takes a change, as a forge does that has the branches itself. */
export interface RemoteBranches {
  /** Resolves to the base. Throws `forge_refused` for a branch or a base that is not on the remote, and for a branch without commits that the base lacks. */
  check(request: { readonly branch: string; readonly base: string | undefined; readonly signal?: AbortSignal | undefined }): Promise<string>;
}

/** Asks the remote `origin` of the clone around `cwd`. */
export function branchesOfOrigin({ cwd, env }: { readonly cwd: string; readonly env: Environment }): RemoteBranches {
  const git = async (signal: AbortSignal | undefined, ...args: readonly string[]) => await runProgram({ file: 'git', args, cwd, env: { ...env, GIT_TERMINAL_PROMPT: '0' }, signal });
  return {
    async check({ branch, base, signal }) {
      const { code, stdout, stderr } = await git(signal, 'ls-remote', '--symref', 'origin', 'HEAD', 'refs/heads/*');
      if (signal?.aborted === true) throw canceled();
      if (code !== 0) throw new FlowsError('forge_unreachable', `The remote origin cannot be read: ${firstLine(stderr)}.`, { hint: 'Check it with `git ls-remote origin`.' });
      const { heads, defaultBranch } = readListing(stdout);
      const target = base ?? defaultBranch;
      if (target === undefined) throw refused('The remote has no default branch to merge into.', 'Name a base that exists there.');
      const [head, tip] = [heads.get(branch), heads.get(target)];
      if (head === undefined) throw refused(`The remote has no branch ${branch}.`, 'Push the branch first: `git push -u origin HEAD`.');
      if (tip === undefined) throw refused(`The remote has no branch ${target} to merge into.`, 'Name a base that exists there.');
      // Commits that are not here cannot be compared, and are then taken for new ones.
      const contained = head === tip || (await git(signal, 'merge-base', '--is-ancestor', head, tip)).code === 0;
      if (contained) throw refused(`There are no commits between ${target} and ${branch}.`, 'Commit something that the base lacks, and push it first.');
      return target;
    },
  };
}

/** The branches of a remote and its default one, from what `git ls-remote --symref` prints. */
export function readListing(listing: string): { readonly heads: ReadonlyMap<string, string>; readonly defaultBranch: string | undefined } {
  const heads = new Map<string, string>();
  for (const [, id = '', name = ''] of listing.matchAll(/^([0-9a-f]{40,64})\trefs\/heads\/(.+)$/gm)) heads.set(name, id);
  // A bare repository that was made without a name for its first branch has a HEAD that leads nowhere, and lists none.
  const usual = ['main', 'master'].find((name) => heads.has(name));
  return { heads, defaultBranch: /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listing)?.[1] ?? usual };
}

function refused(text: string, hint: string): FlowsError {
  return new FlowsError('forge_refused', text, { hint });
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.replace(/^(fatal|error): /, '').replace(/\.$/, '') || 'git does not say why';
}
