import { isRelayError, RelayError } from '../../errors/relay-error.js';
import type { MailboxSpec } from '../port.js';
import { fittingDocument } from './adf/fit.js';
import { sameWords } from './adf/text.js';
import type { JiraClient } from './client/client.js';
import { saidIn } from './client/refusal.js';
import { shorterUntilTaken } from './comments.js';
import { issueAt, issuePath } from './issues.js';
import { readCreated, type JiraIssue } from './shapes.js';

/** Jira makes no more at once. */
const AT_ONCE = 50;

/** By it, boards and searches can leave mailboxes out. */
export const MAILBOX_LABEL = 'relay-flow-mailbox';

/** Answers with keys by title. Throws `task_conflict` for two of one title. */
function keysByTitle({ fields }: JiraIssue, titles: ReadonlySet<string>): Map<string, string> {
  const keys = new Map<string, string>();
  for (const { key, fields: { summary } } of fields.subtasks ?? []) {
    if (!titles.has(summary)) continue;
    const other = keys.get(summary);
    if (other !== undefined) {
      throw new RelayError('task_conflict', `There are two mailboxes ${summary}: ${other} and ${key}.`, { hint: `Delete or rename one of them in Jira; what is written in it is not read.`, evidence: { title: summary, keys: [other, key] } });
    }
    keys.set(summary, key);
  }
  return keys;
}

/**
 * The issues of all mailboxes, after making those that did not exist. Creating is not idempotent and may half succeed: after any failure the subtasks are read
 * again, and what is there counts. What is still missing then is left to the next try, which begins by reading.
 */
export async function mailboxIssues(client: JiraClient, args: { readonly project: string; readonly typeId: string; readonly ticket: string; readonly mailboxes: readonly MailboxSpec[] }): Promise<ReadonlyMap<string, JiraIssue>> {
  const { project, typeId, ticket, mailboxes } = args;
  const titles = new Set(mailboxes.map(({ title }) => title));
  let keys = keysByTitle(await issueAt(client, ticket), titles);
  const missing = mailboxes.filter(({ title }) => !keys.has(title));
  try {
    for (let index = 0; index < missing.length; index += AT_ONCE) {
      const chunk = missing.slice(index, index + AT_ONCE);
      const made = await create(client, { project, typeId, ticket, mailboxes: chunk });
      for (const [at, { title }] of chunk.entries()) keys.set(title, made[at] ?? '');
    }
  } catch (error) {
    if (!isRelayError(error)) throw error;
    keys = keysByTitle(await issueAt(client, ticket), titles);
    if (mailboxes.some(({ title }) => !keys.has(title))) throw error;
  }
  const issues = new Map<string, JiraIssue>();
  for (const issue of await all([...keys.values()].map((key) => issueAt(client, key)))) issues.set(issue.fields.summary, issue);
  for (const { title } of mailboxes) {
    if (!issues.has(title)) throw new RelayError('task_unavailable', `Jira does not show the mailbox ${title} that it has made.`, { hint: 'It is looked for again.', evidence: { ticket } });
  }
  return issues;
}

async function create(client: JiraClient, { project, typeId, ticket, mailboxes }: { readonly project: string; readonly typeId: string; readonly ticket: string; readonly mailboxes: readonly MailboxSpec[] }): Promise<readonly string[]> {
  return await shorterUntilTaken(async (limit) => {
    const { issues, errors = [] } = await client.send({
      method: 'POST', path: 'issue/bulk', about: `the mailboxes of ${ticket}`, read: readCreated,
      body: {
        issueUpdates: mailboxes.map(({ title, description }) => ({
          fields: { project: { key: project }, parent: { key: ticket }, issuetype: { id: typeId }, summary: title, description: fittingDocument(description, { limit }), labels: [MAILBOX_LABEL] },
        })),
      },
    });
    if (errors.length === 0 && issues.length === mailboxes.length) return issues.map(({ key }) => key);
    throw new RelayError('task_rejected', `Jira made ${issues.length} of ${mailboxes.length} mailboxes of ${ticket}. ${saidIn({ errors }, client.redact)}`.trim().replace(/[^.]$/, '$&.'), {
      hint: 'Look at what it says: a field that must be filled in, or a permission.', evidence: { ticket },
    });
  });
}

/** Brings description and label up to date, in one request. */
export async function refresh(client: JiraClient, issue: JiraIssue, spec: MailboxSpec): Promise<boolean> {
  return await shorterUntilTaken(async (limit) => {
    const description = fittingDocument(spec.description, { limit });
    const other = !sameWords(description, issue.fields.description);
    const unlabelled = !(issue.fields.labels ?? []).includes(MAILBOX_LABEL);
    if (!other && !unlabelled) return false;
    await client.send({
      method: 'PUT', path: issuePath(issue.key), about: issue.key,
      body: { ...(other ? { fields: { description } } : {}), ...(unlabelled ? { update: { labels: [{ add: MAILBOX_LABEL }] } } : {}) },
    });
    return true;
  });
}

/** Waits for all, so that nothing goes on behind a failure; then fails with the first. */
export async function all<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
