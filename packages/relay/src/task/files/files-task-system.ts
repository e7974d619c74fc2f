import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import { Complaints } from '../config/complaints.js';
import type { TaskSystem } from '../port.js';
import type { WriteWatch } from './disk/change-file.js';
import { diskFailure } from './disk/failure.js';
import { giveUp } from './each-at-once.js';
import { TicketFolder } from './folder.js';
import { Records } from './records/records.js';
import { FilesRepo } from './repo.js';
import { FILES_RULES } from './rules.js';
import { readSettings, realFolder } from './settings.js';

export interface FilesTaskSystemOptions {
  /** Times of comments, and how long ago a file was saved. Default: the machine's. */
  readonly clock?: { /** Milliseconds since the epoch. */ now(): number };
  /**
   * A folder for the record of what was written into tickets, so that a save that took it away is noticed after a restart too. Made when it is needed, with mode
   * 0700. Default: none, the record is in memory only.
   */
  readonly stateDir?: string;
  /** Whose claims these are: two servers that share a folder must not walk the same ticket. Default: anybody's. */
  readonly owner?: string;
  /** For tests. */
  readonly watch?: WriteWatch;
}

/**
 * The embedded task system: a folder of Markdown files, `<key>.md` with YAML front matter, mailboxes as `<key>/<node>.md`. Changes files only, and only what it has to;
 * never commits: when the folder is in a repository, what becomes of the changes is up to people.
 */
export function createFilesTaskSystem({ clock = Date, stateDir, owner, watch = {} }: FilesTaskSystemOptions = {}): TaskSystem {
  const now = () => clock.now();
  // By folder: a repository that is opened again goes on with what it knows.
  const records = new Map<string, Records>();
  return {
    name: 'files',
    title: 'a folder of Markdown files',
    ...FILES_RULES,

    async probe({ repos, signal }) {
      for (const { path, ownTaskConfig } of repos) {
        giveUp(signal);
        await probeFolder(readSettings(path, ownTaskConfig).directory);
      }
    },

    async openRepo(repo) {
      const settings = readSettings(repo.path, repo.ownTaskConfig);
      const { directory } = settings;
      await probeFolder(directory);
      const known = records.get(directory) ?? new Records(stateDir === undefined ? undefined : join(stateDir, createHash('sha256').update(directory).digest('hex').slice(0, 32)));
      records.set(directory, known);
      return new FilesRepo({ repo, settings, folder: new TicketFolder(directory, watch), records: known, now, owner });
    },

    async registrationFields({ values }) {
      return await Promise.resolve(values['ticketsDir'] === undefined ? [{ name: 'ticketsDir', prompt: 'Folder of the tickets, relative to the repository or absolute', initial: 'tickets' }] : []);
    },

    registrationConfig({ repo, values: { ticketsDir, ...others } }) {
      const complaints = new Complaints();
      for (const unknown of Object.keys(others)) complaints.add(`Ticket files have no setting ${unknown} when a repository is registered.`, 'Use `ticketsDir`.');
      const named = ticketsDir?.trim() ?? '';
      if (named === '') complaints.add('The folder of the tickets is missing.', 'Use `--set ticketsDir=tickets`.');
      complaints.refuse();
      return { ticketsDir: realFolder(repo.path, named) };
    },

    async close() {
      records.clear();
      await Promise.resolve();
    },
  };
}

async function probeFolder(directory: string): Promise<void> {
  try {
    if (!(await stat(directory)).isDirectory()) throw new RelayError('task_config_invalid', `\`taskConfig.ticketsDir\` is not a folder: ${directory}.`, { hint: 'Name the folder in which the tickets are.' });
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw diskFailure(error, `The folder of tickets ${directory}`);
  }
}
