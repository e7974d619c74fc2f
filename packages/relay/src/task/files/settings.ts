import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { Complaints } from '../config/complaints.js';
import type { TaskConfigLayer } from '../task-config.js';
import { errno } from './disk/failure.js';

export interface FilesSettings {
  /** Absolute, real, an existing folder. */
  readonly directory: string;
  readonly statuses: Statuses;
}

/** The words at the beginning, in the middle and at the end of a ticket's way. */
export interface Statuses {
  readonly start: string;
  readonly work: string;
  readonly end: string;
}

export const DEFAULT_STATUSES: Statuses = { start: 'To Do', work: 'In Progress', end: 'Done' };

const word = z.string().refine(isStatus, 'must be one line of text');
const schema = z.object({
  ticketsDir: z.string().trim().min(1),
  statusDefaults: z.strictObject({ start: word, work: word, end: word }).partial().optional(),
});

/** Any word is a status here, as long as it is one line. */
export function isStatus(status: string): boolean {
  return status.trim() === status && status !== '' && !/[\u0000-\u001f\u007f\u2028\u2029]/.test(status);
}

/** The settings that a repository has itself; those of the whole machine do not count. Throws `task_config_invalid`, `task_missing`. */
export function readSettings(path: string, own: TaskConfigLayer): FilesSettings {
  if (own['ticketsDir'] === undefined) {
    throw invalid('`taskConfig.ticketsDir` is missing from the repository.', 'Name the folder of its tickets, relative to the repository or absolute. A value for all repositories does not count.');
  }
  const read = schema.safeParse({ ticketsDir: own['ticketsDir'], statusDefaults: own['statusDefaults'] });
  const complaints = new Complaints();
  if (!read.success) {
    for (const { path: at, message } of read.error.issues) complaints.add(`\`taskConfig.${at.join('.')}\` is wrong: ${message}.`.replace('..', '.'), 'ticketsDir is a folder; statusDefaults has start, work and end, each one line of text.');
    throw complaints.refusal();
  }
  const statuses = { ...DEFAULT_STATUSES, ...definedOnly(read.data.statusDefaults ?? {}) };
  if (sameStatus(statuses.end, statuses.start) || sameStatus(statuses.end, statuses.work)) complaints.add('`taskConfig.statusDefaults.end` is also the status of tickets that are not done.', 'Choose a word for `end` that no other status has.');
  const directory = complaints.of(() => realFolder(path, read.data.ticketsDir));
  if (directory === undefined || complaints.any) throw complaints.refusal();
  return { directory, statuses };
}

/** `done` is `Done`: a person's hand must not start finished work again. */
export function sameStatus(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** Throws `task_missing`, `task_config_invalid`. */
export function realFolder(repository: string, ticketsDir: string): string {
  const named = isAbsolute(ticketsDir) ? ticketsDir : resolve(repository, ticketsDir);
  try {
    const real = realpathSync(named);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') {
      throw new RelayError('task_missing', `The folder of tickets ${named} does not exist.`, { hint: 'Make it, or name another one as `taskConfig.ticketsDir`.', evidence: { ticketsDir: named } });
    }
    throw invalid(`The folder of tickets ${named} cannot be looked at.`, 'Give the account that runs the server the right to read it.');
  }
  throw invalid(`\`taskConfig.ticketsDir\` is not a folder: ${named}.`, 'Name the folder in which the tickets are.');
}

function definedOnly(statuses: { readonly [Key in keyof Statuses]?: string | undefined }): Partial<Statuses> {
  return Object.fromEntries(Object.entries(statuses).filter(([, value]) => value !== undefined));
}

function invalid(text: string, hint: string): RelayError {
  return new RelayError('task_config_invalid', text, { hint });
}
