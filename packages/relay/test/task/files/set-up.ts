import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskSystemSetUp } from '../../../src/task/conformance.js';
import { createFilesTaskSystem } from '../../../src/task/files/files-task-system.js';
import { project } from './people.js';

class DiskTrouble extends Error {
  readonly code = 'EIO';
}

export async function setUp(): Promise<TaskSystemSetUp> {
  const people = await project();
  const { repo, directory, state } = people;
  let next: 'before' | 'after' | undefined;
  let writes = Infinity;
  const watch = {
    before: async () => {
      const fail = next === 'before' || writes === 0;
      if (next === 'before') next = undefined;
      writes = writes === 0 ? Infinity : writes - 1;
      if (fail) throw new DiskTrouble();
      return await Promise.resolve();
    },
    after: async () => {
      if (next !== 'after') return;
      next = undefined;
      await Promise.reject(new DiskTrouble());
    },
  };
  const another = () => createFilesTaskSystem({ stateDir: state, watch });
  const refused = (ownTaskConfig: Record<string, never> | Record<string, unknown>) => ({ ...repo, taskConfig: ownTaskConfig as never, ownTaskConfig: ownTaskConfig as never });
  return {
    ...people,
    tasks: another(),
    another,
    registration: { ticketsDir: 'tickets' },
    people: ['Ana', 'bo@example.com'],
    secrets: [],
    duplicateMailbox: async (ticket, node) => await copyFile(people.path(`${ticket}/${node}`), join(directory, ticket, `${node}-copy.md`)),
    refusedRepos: [
      { repo: { ...refused({}), taskConfig: repo.taskConfig }, code: 'task_config_invalid' },
      { repo: refused({ ticketsDir: 'nowhere' }), code: 'task_missing' },
      { repo: refused({ ticketsDir: 'tickets/README.md' }), code: 'task_config_invalid' },
      { repo: refused({ ticketsDir: '' }), code: 'task_config_invalid' },
      { repo: refused({ ticketsDir: 7 }), code: 'task_config_invalid' },
      { repo: refused({ ticketsDir: 'tickets', statusDefaults: { begin: 'x' } }), code: 'task_config_invalid' },
      { repo: refused({ ticketsDir: 'tickets', statusDefaults: { end: 'to do' } }), code: 'task_config_invalid' },
      { repo: refused({ ticketsDir: 'tickets', statusDefaults: { start: '' } }), code: 'task_config_invalid' },
    ],
    failNext: (when) => {
      next = when;
    },
    halfDone: () => {
      // The file of a mailbox, then the second one's.
      writes = 1;
    },
    tearDown: people.remove,
  };
}

/** What files do not have. */
export const lacks = { 'status rules': 'any status can follow any other in a file', 'known statuses': 'any word is a status of a file' };
