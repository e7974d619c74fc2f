import { RelayError } from '../../errors/relay-error.js';
import type { Ticket } from '../port.js';
import type { JiraClient } from './client/client.js';
import { isBlocked, isDone, isMailbox, ticketOf } from './issues.js';
import type { People } from './people.js';
import { readSearchPage, type JiraIssue, type SearchPage } from './shapes.js';

const PAGE = 100;
const FIELDS = ['key', 'summary', 'status', 'issuetype', 'labels', 'assignee', 'issuelinks'] as const;
/** For so long the index may not know what was written. */
const LAG_MS = 60_000;
/** Jira takes no more in one search. */
const MOST_RECONCILED = 50;

/** What was written lately, so that a search is told to look at it itself. */
export class RecentWrites {
  readonly #at = new Map<string, number>();

  note(id: string, now: number): void {
    this.#at.delete(id);
    this.#at.set(id, now);
  }

  /** The latest ones, as numbers. */
  ids(now: number): readonly number[] {
    for (const [id, at] of this.#at) if (now - at > LAG_MS) this.#at.delete(id);
    return [...this.#at.keys()].slice(-MOST_RECONCILED).map(Number).filter(Number.isSafeInteger);
  }
}

/** The tickets of a component that are not done. What else decides is looked at here, so that claimed tickets are seen whatever became of them. */
export function jqlFor({ project, component, subtaskTypes }: { readonly project: string; readonly component: string; readonly subtaskTypes: readonly string[] }): string {
  // `Subtask` is the name of new projects; an unknown name in a query is an error.
  const types = subtaskTypes.length <= 1 && (subtaskTypes[0] ?? 'Subtask') === 'Subtask' ? 'issuetype != Subtask' : `issuetype not in (${subtaskTypes.map(quoted).join(', ')})`;
  return `project = ${quoted(project)} AND component = ${quoted(component)} AND ${types} AND statusCategory != Done`;
}

function quoted(word: string): string {
  return `"${word.replace(/["\\]/g, '\\$&')}"`;
}

export async function searchPage(client: JiraClient, { jql, about, maxResults, token, ids = [], signal }: { readonly jql: string; readonly about: string; readonly maxResults: number; readonly token?: string | undefined; readonly ids?: readonly number[]; readonly signal?: AbortSignal }): Promise<SearchPage> {
  return await client.send({
    method: 'POST', path: 'search/jql', repeatable: true, about, read: readSearchPage, ...(signal === undefined ? {} : { signal }),
    body: { jql, maxResults, fields: FIELDS, ...(token === undefined ? {} : { nextPageToken: token }), ...(ids.length === 0 ? {} : { reconcileIssues: ids }) },
  });
}

export async function poll(client: JiraClient, args: { readonly jql: string; readonly about: string; readonly ids: readonly number[]; readonly people: People; readonly signal: AbortSignal }): Promise<readonly Ticket[]> {
  const { jql, about, ids, people, signal } = args;
  const found = new Map<string, JiraIssue>();
  const tokens = new Set<string>();
  for (let token: string | undefined; ; ) {
    const page = await searchPage(client, { jql, about, maxResults: PAGE, token, ids, signal });
    for (const issue of page.issues) found.set(issue.id, issue);
    token = page.isLast === true ? undefined : (page.nextPageToken ?? undefined);
    if (token === undefined) break;
    if (tokens.has(token)) throw new RelayError('task_malformed', `Jira gave the same page twice when asked for ${about}.`, { hint: 'It is tried again at the next poll.' });
    tokens.add(token);
  }
  const tickets: Ticket[] = [];
  for (const issue of found.values()) {
    if (isMailbox(issue) || isDone(issue)) continue;
    if (isBlocked(issue) && !(issue.fields.labels ?? []).some((label) => label.startsWith('wf:'))) continue;
    tickets.push(await ticketOf(issue, people));
  }
  return tickets;
}
