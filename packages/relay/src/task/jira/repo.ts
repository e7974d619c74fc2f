import { RelayError } from '../../errors/relay-error.js';
import type { Locks } from '../../queues/locks.js';
import { Complaints } from '../config/complaints.js';
import type { RepoBinding, TaskRepo, Ticket, Transition } from '../port.js';
import type { LifecyclePoint, TaskConfig } from '../task-config.js';
import type { JiraClient } from './client/client.js';
import { markersOf, postComment } from './comments.js';
import { isMailbox, issueAt, issueIfThere, issuePath, ticketOf } from './issues.js';
import { all, mailboxIssues, refresh } from './mailboxes.js';
import { Moves, type Plan } from './moves.js';
import type { People } from './people.js';
import { jqlFor, poll, RecentWrites } from './poll.js';
import { needStatus, projectFacts } from './project.js';
import type { JiraSettings } from './settings.js';
import type { JiraIssue } from './shapes.js';

export interface JiraRepoParts {
  readonly repo: RepoBinding;
  readonly settings: JiraSettings;
  readonly mailboxType: { readonly id: string; readonly name: string };
  readonly subtaskTypes: readonly string[];
  readonly client: JiraClient;
  readonly people: People;
  /** Writes to one issue come one after another. */
  readonly writes: Locks;
  readonly owner: string;
}

/** A component of a project. Everything is read where it is written; only the ids of transitions and people are remembered, and forgotten when Jira refuses them. */
export class JiraRepo implements TaskRepo {
  readonly repo: RepoBinding;
  readonly identity: string;
  readonly owner: string;
  readonly #parts: JiraRepoParts;
  readonly #moves: Moves;
  readonly #recent = new RecentWrites();

  constructor(parts: JiraRepoParts) {
    const { repo, settings, client, owner } = parts;
    this.repo = repo;
    this.owner = owner;
    this.identity = `${client.site} ${settings.project.toUpperCase()} ${settings.component.toLowerCase()}`;
    this.#parts = parts;
    this.#moves = new Moves(client, settings.project);
  }

  lifecycleDefault(point: LifecyclePoint): Transition {
    const { start, work, end } = this.#parts.settings.statuses;
    switch (point) {
      case 'start':
        return { parentStatus: start };
      case 'work':
        return { parentStatus: work, taskStatus: work };
      case 'complete':
        return { taskStatus: end };
      case 'end':
        return { parentStatus: end };
      case 'recovery':
        return { taskStatus: start };
    }
  }

  async validate({ assignee, filters, transitionTo }: TaskConfig): Promise<void> {
    const { client, people, settings: { project } } = this.#parts;
    const facts = await projectFacts(client, project);
    const ticket = `no ticket of project ${project}`;
    const complaints = new Complaints();
    const need = (...asked: Parameters<typeof needStatus>): void => complaints.of(() => needStatus(...asked));
    if (transitionTo.parentStatus !== undefined) need(transitionTo.parentStatus, 'transitionTo.parentStatus', facts.parentStatuses, ticket);
    if (transitionTo.taskStatus !== undefined) need(transitionTo.taskStatus, 'transitionTo.taskStatus', facts.taskStatuses, `no ${this.#parts.mailboxType.name} of project ${project}`);
    for (const status of filters.parentStatuses ?? []) need(status, 'filters.parentStatuses', facts.parentStatuses, ticket);
    for (const type of filters.issueTypes ?? []) {
      if (!facts.issueTypes.includes(type)) complaints.add(`\`filters.issueTypes\` has ${JSON.stringify(type)}, which is no type of tickets of project ${project}.`, `Use one of ${facts.issueTypes.map((one) => JSON.stringify(one)).join(', ')}.`);
    }
    if (assignee !== undefined && assignee.trim() !== '') await complaints.whether(() => people.accountOf(project, assignee));
    for (const person of filters.assignees ?? []) await people.learn(project, person);
    complaints.refuse();
  }

  async poll({ signal }: { readonly signal: AbortSignal }): Promise<readonly Ticket[]> {
    const { client, people, subtaskTypes, settings: { project, component } } = this.#parts;
    return await poll(client, { jql: jqlFor({ project, component, subtaskTypes }), about: `the tickets of ${project} in component ${component}`, ids: this.#recent.ids(client.now()), people, signal });
  }

  async view({ key }: { readonly key: string }): Promise<Ticket | undefined> {
    const issue = await issueIfThere(this.#parts.client, key);
    return issue === undefined || isMailbox(issue) ? undefined : await ticketOf(issue, this.#parts.people);
  }

  async claim({ key, labels }: { readonly key: string; readonly labels: readonly string[] }): Promise<Ticket> {
    const { client, people, writes } = this.#parts;
    return await writes.hold(key, async () => {
      const issue = await issueAt(client, key);
      const missing = labels.filter((label) => !(issue.fields.labels ?? []).includes(label));
      if (missing.length === 0) return await ticketOf(issue, people);
      await client.send({ method: 'PUT', path: issuePath(key), about: key, body: { update: { labels: missing.map((label) => ({ add: label })) } } });
      this.#note(issue);
      return await ticketOf(await issueAt(client, key), people);
    });
  }

  async ensureMailboxes({ ticket, mailboxes }: Parameters<TaskRepo['ensureMailboxes']>[0]): Promise<Readonly<Record<string, string>>> {
    if (mailboxes.length === 0) return {};
    const { client, writes, mailboxType, settings: { project } } = this.#parts;
    return await writes.hold(ticket, async () => {
      const issues = await mailboxIssues(client, { project, typeId: mailboxType.id, ticket, mailboxes });
      const keys = await all(mailboxes.map(async (spec): Promise<readonly [string, string]> => {
        const issue = issues.get(spec.title);
        if (issue === undefined) throw new TypeError('A mailbox was neither found nor made.');
        await writes.hold(issue.key, async () => {
          await refresh(client, issue, spec);
          await this.#assign(issue, await this.#accountFor(spec.assignee));
        });
        return [spec.node, issue.key];
      }));
      return Object.fromEntries(keys);
    });
  }

  async transition({ ticket, transition, mailbox, assignee }: Parameters<TaskRepo['transition']>[0]): Promise<void> {
    const { parentStatus, taskStatus } = transition;
    const account = mailbox === undefined ? undefined : await this.#accountFor(assignee);
    // Both are looked at before either is moved: when one cannot go where it should, the other stays too.
    const task = mailbox === undefined || (taskStatus === undefined && account === undefined) ? undefined : await this.#moves.plan(mailbox, taskStatus);
    const parent = parentStatus === undefined ? undefined : await this.#moves.plan(ticket, parentStatus);
    if (task !== undefined) await this.#bring(task, account);
    if (parent !== undefined) await this.#bring(parent, undefined);
  }

  async reopenMailboxes({ mailboxes }: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void> {
    const { start } = this.#parts.settings.statuses;
    for (const mailbox of mailboxes) await this.#bring(await this.#moves.plan(mailbox, start), undefined);
  }

  /** The ticket itself is moved when its run begins again. */
  async resetForRecovery({ ticket, mailboxes }: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void> {
    await this.reopenMailboxes({ ticket, mailboxes });
  }

  async addComment({ key, marker, body }: { readonly key: string; readonly marker: string; readonly body: string }): Promise<{ readonly added: boolean }> {
    if (!/^[\x21-\x7e]+$/.test(marker) || /[<>]|--$/.test(marker)) throw new RelayError('task_rejected', `A comment on ${key} has a marker that cannot be written.`, { hint: 'Markers are words of visible ASCII without angle brackets.' });
    const { client, writes } = this.#parts;
    return await writes.hold(key, async () => {
      if ((await markersOf(client, key)).includes(marker)) return { added: false };
      await postComment(client, key, { marker, body });
      return { added: true };
    });
  }

  async markers({ key }: { readonly key: string }): Promise<readonly string[]> {
    return await markersOf(this.#parts.client, key);
  }

  agentEnvironment({ ticket }: { readonly ticket: string }): Readonly<Record<string, string>> {
    return { RELAY_FLOW_TICKET_URL: `${this.#parts.client.site}/browse/${encodeURIComponent(ticket)}` };
  }

  async #bring(plan: Plan, account: Account | undefined): Promise<void> {
    const { issue } = plan;
    await this.#parts.writes.hold(issue.key, async () => {
      const assign = account === undefined || account.id === (issue.fields.assignee?.accountId ?? null) ? undefined : (account.id ?? undefined);
      const { assigned } = await this.#moves.take(plan, assign).finally(() => this.#note(issue));
      if (!assigned) await this.#assign(issue, account);
    });
  }

  /** `account` absent: left alone. */
  async #assign(issue: JiraIssue, account: Account | undefined): Promise<void> {
    if (account === undefined || account.id === (issue.fields.assignee?.accountId ?? null)) return;
    try {
      await this.#parts.client.send({ method: 'PUT', path: issuePath(issue.key, 'assignee'), about: `the assignee of ${issue.key}`, body: { accountId: account.id } });
    } catch (error) {
      this.#parts.people.forget(this.#parts.settings.project, account.words);
      throw error;
    }
  }

  async #accountFor(words: string | undefined): Promise<Account | undefined> {
    if (words === undefined) return undefined;
    if (words.trim() === '') return { words, id: null };
    return { words, id: await this.#parts.people.accountOf(this.#parts.settings.project, words) };
  }

  #note({ id }: JiraIssue): void {
    this.#recent.note(id, this.#parts.client.now());
  }
}

interface Account {
  /** As the settings say it. */
  readonly words: string;
  /** `null`: nobody. */
  readonly id: string | null;
}
