import path from 'node:path';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { Locks } from '../../queues/locks.js';
import type { Runner } from '../port.js';
import { decodeRunnerConfig } from '../runner-config.js';
import { ensureWorktree } from './ensure.js';
import { gitFailure } from '../git/git-failure.js';
import { createGit, type Git } from '../git/git.js';
import { removeWorktree } from './remove.js';
import { checkRepository } from './repository.js';
import { listWorktrees, pruneWorktrees } from './survey.js';
import type { Workshop } from './workshop.js';

const worktreeConfig = z.strictObject({
  /** Where the worktrees are; default: `worktrees` in the home. Absolute, outside of every repository. */
  root: z.string().refine((value) => path.isAbsolute(value), 'must be an absolute path').optional(),
  /** What tickets' branches begin at, such as `origin/main`. */
  baseRef: z.string().min(1).regex(/^[^-]/, 'must not begin with a dash').optional(),
});

export interface WorktreeRunnerOptions {
  /** The home of relay-flow, absolute. */
  readonly home: string;
  /** `runnerConfig` of config.yaml. */
  readonly config: unknown;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the git on the PATH. */
  readonly git?: Git;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const PROBE_MS = 5_000;

/**
 * The runner that needs nothing but git: a worktree per ticket at `<root>/<repo>/<ticket>`, on the branch `relay/<ticket>`. It has no terminals.
 * Throws `config_invalid`.
 */
export function createWorktreeRunner(options: WorktreeRunnerOptions): Runner {
  const { home, config, env = process.env, git = createGit({ env }), now = Date.now } = options;
  const { root = path.join(home, 'worktrees'), baseRef } = decodeRunnerConfig({ runner: 'worktree', schema: worktreeConfig, config });
  const shop: Workshop = { git, root, baseRef, now };
  const turns = new Locks();
  return {
    name: 'worktree',
    probe: ({ signal }) => checkGit(git, signal),
    ensureRepo: (repo) => checkRepository(shop, repo),
    validateRepo: (repo) => checkRepository(shop, repo),
    discoverRepos: () => Promise.resolve([]),
    ensureWorkspace: (at) => turns.hold(`${at.repo.name}\0${at.ticket}`, () => ensureWorktree(shop, at)),
    // Nobody looks at a worktree to see where its ticket stands.
    setStatus: () => Promise.resolve(),
    removeWorkspace: (at) => turns.hold(`${at.repo.name}\0${at.ticket}`, () => removeWorktree(shop, at)),
    listWorkspaces: (repo) => listWorktrees(shop, repo),
    prune: (repo) => pruneWorktrees(shop, repo),
  };
}

async function checkGit(git: Git, signal: AbortSignal): Promise<void> {
  const answer = await git({ at: '/', args: ['--version'], timeoutMs: PROBE_MS, signal });
  if (answer.exitCode !== 0) throw gitFailure(answer, 'say its version');
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(answer.stdout) ?? [];
  if (major === undefined || minor === undefined) throw new RelayError('runner_malformed', 'The git on the PATH of the server does not say its version.');
  // From 2.36 on lists of worktrees can be read whatever the paths are.
  if (Number(major) * 1_000 + Number(minor) < 2_036) throw new RelayError('runner_rejected', `git ${major}.${minor} is too old.`, { hint: 'Install git 2.36 or newer.' });
}
