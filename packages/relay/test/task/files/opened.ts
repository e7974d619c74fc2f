import { utimes } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { FilesTaskSystemOptions } from '../../../src/task/files/files-task-system.js';
import { createFilesTaskSystem } from '../../../src/task/files/files-task-system.js';
import type { TaskRepo } from '../../../src/task/port.js';
import { project, type Project } from './people.js';

export interface Opened extends Project {
  /** Another server, which knows only what is stored. */
  readonly open: (options?: FilesTaskSystemOptions) => Promise<TaskRepo>;
  /** Lets time pass: files that were saved until now are not fresh any more. */
  readonly later: (ms?: number) => void;
  readonly poll: (repo: TaskRepo) => Promise<readonly string[]>;
}

/** A project that lasts until the end of the test, and its clock. */
export async function opened(statusDefaults?: Readonly<Record<string, string>>): Promise<Opened> {
  const people = await project(statusDefaults);
  onTestFinished(people.remove);
  let ahead = 0;
  return {
    ...people,
    open: async (options = {}) => await createFilesTaskSystem({ clock: { now: () => Date.now() + ahead }, ...options }).openRepo(people.repo),
    later: (ms = 10_000) => {
      ahead += ms;
    },
    poll: async (repo) => (await repo.poll({ signal: AbortSignal.timeout(30_000) })).map(({ key }) => key),
  };
}

/** Gives a file another time of change. */
export async function touch(path: string, at: Date): Promise<void> {
  await utimes(path, at, at);
}
