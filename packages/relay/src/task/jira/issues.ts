import { isRelayError } from '../../errors/relay-error.js';
import type { Ticket } from '../port.js';
import { toMarkdown } from './adf/to-markdown.js';
import type { JiraClient } from './client/client.js';
import type { People } from './people.js';
import { readIssue, type JiraIssue } from './shapes.js';

/** Read directly: the index of the search lags behind what was written. */
const FIELDS = 'summary,status,issuetype,labels,assignee,subtasks,issuelinks,description';

/** Throws `task_missing`, and what the client throws. */
export async function issueAt(client: JiraClient, key: string): Promise<JiraIssue> {
  return await client.send({ method: 'GET', path: issuePath(key), query: { fields: FIELDS }, about: key, read: readIssue });
}

export async function issueIfThere(client: JiraClient, key: string): Promise<JiraIssue | undefined> {
  try {
    return await issueAt(client, key);
  } catch (error) {
    if (isRelayError(error) && error.code === 'task_missing') return undefined;
    throw error;
  }
}

export function issuePath(key: string, ...more: readonly string[]): string {
  return ['issue', encodeURIComponent(key), ...more].join('/');
}

export function isDone({ fields }: Pick<JiraIssue, 'fields'>): boolean {
  return fields.status.statusCategory?.key === 'done';
}

/** Another ticket must be done first. One that cannot be seen is not done. */
export function isBlocked({ fields }: Pick<JiraIssue, 'fields'>): boolean {
  return (fields.issuelinks ?? []).some(({ type, inwardIssue }) => type.name === 'Blocks' && inwardIssue !== undefined && inwardIssue.fields?.status?.statusCategory?.key !== 'done');
}

export function isMailbox({ fields }: Pick<JiraIssue, 'fields'>): boolean {
  return fields.issuetype.subtask === true;
}

export async function ticketOf(issue: JiraIssue, people: People): Promise<Ticket> {
  const { id, key, fields } = issue;
  const text = toMarkdown(fields.description);
  return {
    id, key,
    title: fields.summary,
    ...(text === '' ? {} : { text }),
    status: fields.status.name,
    done: isDone(issue),
    blocked: isBlocked(issue),
    type: fields.issuetype.name,
    labels: fields.labels ?? [],
    assignee: fields.assignee === null || fields.assignee === undefined ? [] : await people.wordsFor(fields.assignee),
  };
}
