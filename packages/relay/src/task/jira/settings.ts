import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { Complaints } from '../config/complaints.js';
import type { TaskConfigLayer } from '../task-config.js';

export interface JiraSettings {
  /** The key of the project. */
  readonly project: string;
  /** The component by which a repository's tickets are told apart from others of the project. */
  readonly component: string;
  readonly statuses: JiraStatuses;
}

/** Names of statuses of the project, to the letter. */
export interface JiraStatuses {
  readonly start: string;
  readonly work: string;
  readonly end: string;
}

export const STATUS_NAMES = ['start', 'work', 'end'] as const;

const word = z.string().trim().min(1);
const schema = z.object({ project: word, component: word, statusDefaults: z.strictObject({ start: word, work: word, end: word }) });

/** The settings that a repository has itself; those of the whole machine do not count. Throws `task_config_invalid`. */
export function readSettings(own: TaskConfigLayer): JiraSettings {
  const complaints = new Complaints();
  for (const key of ['project', 'component', 'statusDefaults']) {
    if (own[key] === undefined) complaints.add(`\`taskConfig.${key}\` is missing from the repository.`, `${HINTS[key]} A value for all repositories does not count.`);
  }
  const read = schema.safeParse({ project: own['project'], component: own['component'], statusDefaults: own['statusDefaults'] });
  for (const { path, message } of read.error?.issues ?? []) {
    const [key = ''] = path.map(String);
    if (own[key] !== undefined) complaints.add(`\`taskConfig.${path.join('.')}\` is wrong: ${message}.`.replace('..', '.'), HINTS[key] ?? 'Register the repository again.');
  }
  if (!read.success) throw complaints.refusal();
  const { project, component, statusDefaults: statuses } = read.data;
  if (statuses.end === statuses.start || statuses.end === statuses.work) throw invalid('`taskConfig.statusDefaults.end` is also the status of tickets that are not done.', 'Choose the status of finished work for `end`.');
  return { project, component, statuses };
}

const HINTS: Readonly<Record<string, string>> = {
  project: 'Name the key of the Jira project, such as ABC.',
  component: 'Name the component of the project that holds the tickets of this repository.',
  statusDefaults: 'Name a status of the project for each of start, work and end.',
};

export function invalid(text: string, hint: string): RelayError {
  return new RelayError('task_config_invalid', text, { hint });
}
