import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isRelayError } from '../../errors/relay-error.js';
import { execute as run, type Execute } from '../../process/execute.js';
import { Locks } from '../../queues/locks.js';
import { Complaints } from '../config/complaints.js';
import type { TaskSystem } from '../port.js';
import { Bd } from './call.js';
import { BeadsRepo } from './repo.js';
import { BEADS_RULES } from './rules.js';
import { readSettings, realFolder, type BeadsSettings } from './settings.js';
import { Workspace } from './workspace.js';

export interface BeadsTaskSystemOptions {
  /** The server's: `bd` is looked up on its PATH, and inherits it but for what would choose another database. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How commands are run. Default: as processes of this machine. */
  readonly execute?: Execute;
  /** Whose claims these are: two servers that share a workspace must not walk the same ticket. Default: anybody's. */
  readonly owner?: string;
}

/**
 * Beads, by its command `bd`. A ticket is an issue without a parent and with the label `repo:<repository>`; mailboxes are its children. The workspace belongs to people:
 * it is never made here, and no database server is started for it.
 */
export function createBeadsTaskSystem({ env, execute = run, owner }: BeadsTaskSystemOptions): TaskSystem {
  const bd = new Bd({ host: env, execute });
  const turns = new Locks();
  const workspaceOf = ({ workspace }: BeadsSettings, cwd: string) => new Workspace({ directory: workspace, cwd, bd });
  return {
    name: 'beads',
    title: 'Beads',
    ...BEADS_RULES,

    async probe({ repos, signal }) {
      bd.program();
      const workspaces = new Map<string, Workspace>();
      for (const repo of repos) {
        const settings = usable(() => readSettings(repo));
        if (settings !== undefined && !workspaces.has(settings.workspace)) workspaces.set(settings.workspace, workspaceOf(settings, repo.path));
      }
      await Promise.all([...workspaces.values()].map(async (workspace) => await workspace.probe(signal)));
    },

    async openRepo(repo) {
      const settings = readSettings(repo);
      const workspace = workspaceOf(settings, repo.path);
      await workspace.probe();
      return new BeadsRepo({ repo, settings, workspace, turns, owner });
    },

    async registrationFields({ repo, values }) {
      if (values['beadsDir'] !== undefined) return await Promise.resolve([]);
      const usual = join(repo.path, '.beads');
      return [{ name: 'beadsDir', prompt: 'Folder of the Beads workspace, relative to the repository or absolute', ...(statSync(usual, { throwIfNoEntry: false })?.isDirectory() === true ? { initial: usual } : {}) }];
    },

    registrationConfig({ repo, values: { beadsDir, ...others } }) {
      const complaints = new Complaints();
      for (const unknown of Object.keys(others)) complaints.add(`Beads has no setting ${unknown} when a repository is registered.`, 'Use `beadsDir`.');
      const named = beadsDir?.trim() ?? '';
      if (named === '') complaints.add('The folder of the Beads workspace is missing.', 'Use `--set beadsDir=.beads`.');
      complaints.refuse();
      return { beadsDir: realFolder(repo.path, named) };
    },

    async close() {
      await Promise.resolve();
    },
  };
}

/** A repository whose own settings are wrong is refused when it is opened, and keeps no other from being served. */
function usable<Settings>(read: () => Settings): Settings | undefined {
  try {
    return read();
  } catch (error) {
    if (isRelayError(error)) return undefined;
    throw error;
  }
}
