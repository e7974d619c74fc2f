import type { Git } from './git.js';
import { gitFailure } from './git-failure.js';

/** A worktree that a repository knows of, as `git worktree list` says. */
export interface Registration {
  /** Absolute; it need not exist. */
  readonly path: string;
  readonly main: boolean;
  readonly bare: boolean;
  /** The commit that is checked out; absent before the first commit. */
  readonly head?: string;
  /** Without `refs/heads/`; absent: detached. */
  readonly branch?: string;
  /** Why it is locked, maybe empty; absent: it is not. */
  readonly locked?: string;
}

/** Reads all of them; the main worktree is the first. */
export async function listRegistrations(git: Git, repo: string): Promise<readonly Registration[]> {
  const answer = await git({ at: repo, args: ['worktree', 'list', '--porcelain', '-z'] });
  if (answer.exitCode !== 0) throw gitFailure(answer, 'list the worktrees of the repository');
  return parseRegistrations(answer.stdout);
}

/** Reads the output of `git worktree list --porcelain -z`: attributes end with NUL, records with another one. */
export function parseRegistrations(output: string): readonly Registration[] {
  return output.split('\0\0').filter((record) => record !== '').map((record, index) => {
    const attributes = new Map(record.split('\0').map((line) => {
      const space = line.indexOf(' ');
      return space < 0 ? [line, ''] as const : [line.slice(0, space), line.slice(space + 1)] as const;
    }));
    const head = attributes.get('HEAD');
    const branch = attributes.get('branch');
    const locked = attributes.get('locked');
    return {
      path: attributes.get('worktree') ?? '',
      main: index === 0,
      bare: attributes.has('bare'),
      ...(head === undefined || /^0+$/.test(head) ? {} : { head }),
      ...(branch === undefined ? {} : { branch: branch.replace(/^refs\/heads\//, '') }),
      ...(locked === undefined ? {} : { locked }),
    };
  });
}
