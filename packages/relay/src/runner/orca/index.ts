import { realpath } from 'node:fs/promises';
import { z } from 'zod';
import { execute, type Execute } from '../../process/execute.js';
import { createGit } from '../git/git.js';
import type { Runner, RunnerRepo } from '../port.js';
import { decodeRunnerConfig } from '../runner-config.js';
import { Locks } from '../../queues/locks.js';
import { createOrca } from './call.js';
import { orcaExecutable } from './executable.js';
import { addRepo, listRepos, requireRepo } from './repos.js';
import { createTerminals } from './terminals.js';
import { ensureWorktree, listWorktrees, removeWorktree, setWorktreeStatus } from './worktrees.js';

const orcaConfig = z.strictObject({
  /** What tickets' branches begin at, where no branch for them exists. */
  baseRef: z.string().min(1).regex(/^[^-]/, 'must not begin with a dash').optional(),
});

export interface OrcaRunnerOptions {
  /** `runnerConfig` of config.yaml. */
  readonly config: unknown;
  /** The environment of the server, which names Orca's command. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs Orca's command. Default: as a process without a shell. */
  readonly run?: Execute;
  /** Default: that of this process. */
  readonly platform?: NodeJS.Platform;
  /** Milliseconds that a program in a terminal is given to take a text before the screen is looked at. Default 400. */
  readonly settleMs?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** The runner that works in the Orca app, which must be running: its worktrees, its terminals. Throws `config_invalid`. */
export function createOrcaRunner(options: OrcaRunnerOptions): Runner {
  const { config, env, run = execute, platform = process.platform, settleMs = 400, now = Date.now } = options;
  const { baseRef } = decodeRunnerConfig({ runner: 'orca', schema: orcaConfig, config });
  const orca = createOrca({ executable: orcaExecutable(env, platform), env, run });
  const git = createGit({ env });
  const turns = new Locks();
  const terminals = createTerminals({ orca, turns, settleMs });
  return {
    name: 'orca',
    probe: async ({ signal }) => void (await listRepos(orca, signal)),
    ensureRepo: async (repo) => void (await turns.hold(`repo\0${repo.path}`, () => addRepo(orca, repo))),
    validateRepo: async (repo) => void (await requireRepo(orca, repo)),
    async discoverRepos() {
      const found = await Promise.all((await listRepos(orca)).map(async ({ displayName, path }): Promise<readonly RunnerRepo[]> => {
        const real = await realpath(path).catch(() => undefined);
        return real === undefined ? [] : [{ name: displayName, path: real }];
      }));
      return found.flat();
    },
    ensureWorkspace: (at) => turns.hold(`${at.repo.name}\0${at.ticket}`, () => ensureWorktree(orca, git, { at, baseRef })),
    setStatus: ({ status, ...at }) => setWorktreeStatus(orca, { at, status }),
    removeWorkspace: (at) => turns.hold(`${at.repo.name}\0${at.ticket}`, async () => {
      await terminals.closeAll(at);
      await removeWorktree(orca, git, { at, baseRef, now: now() });
    }),
    listWorkspaces: (repo) => listWorktrees(orca, repo),
    // Orca looks after its registrations itself.
    prune: () => Promise.resolve([]),
    terminals,
  };
}
