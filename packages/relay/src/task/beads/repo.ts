import { RelayError } from '../../errors/relay-error.js';
import type { Locks } from '../../queues/locks.js';
import { isTaken } from '../claim-labels.js';
import { Complaints } from '../config/complaints.js';
import type { MailboxSpec, RepoBinding, TaskProblem, TaskRepo, Ticket, Transition } from '../port.js';
import type { LifecyclePoint, TaskConfig } from '../task-config.js';
import { agentVariables } from './environment.js';
import { noIssue } from './failure.js';
import type { Issue } from './issue.js';
import { belongsTo, MAILBOX } from './labels.js';
import { findMailboxes, lackOf } from './mailboxes.js';
import { isMarker, markerOf, withMarker } from './markers.js';
import { mergePolls } from './poll.js';
import { BEADS_RULES } from './rules.js';
import type { BeadsSettings } from './settings.js';
import { CLOSED, wayTo, type Move, type Way } from './status.js';
import { blockersOf, isPart, ticketOf } from './ticket.js';
import type { Workspace } from './workspace.js';

export interface BeadsRepoParts {
  readonly repo: RepoBinding;
  readonly settings: BeadsSettings;
  readonly workspace: Workspace;
  /** Keeps acts on one ticket apart: each reads, then writes. Shared by all repositories of a server. */
  readonly turns: Locks;
  /** Whose claims these are. */
  readonly owner: string | undefined;
}

interface Step {
  readonly issue: Issue;
  readonly move: Move;
  readonly target: string | undefined;
  readonly assignee?: string | undefined;
}

/** The tickets of a repository in a workspace: those with its `repo:` label. */
export class BeadsRepo implements TaskRepo {
  readonly repo: RepoBinding;
  readonly identity: string;
  declare readonly owner?: string;
  /** Other relay-flows claim without an owner here. */
  readonly anonymousClaims = 'ours';
  readonly #label: string;
  readonly #workspace: Workspace;
  readonly #turns: Locks;
  #problems: readonly TaskProblem[] = [];

  constructor({ repo, settings, workspace, turns, owner }: BeadsRepoParts) {
    if (owner !== undefined) this.owner = owner;
    this.repo = repo;
    this.identity = `beads:${settings.workspace}#${settings.label}`;
    this.#label = settings.label;
    this.#workspace = workspace;
    this.#turns = turns;
  }

  lifecycleDefault(point: LifecyclePoint): Transition {
    switch (point) {
      case 'start':
        return { parentStatus: 'in_progress' };
      case 'work':
        return { parentStatus: 'in_progress', taskStatus: 'in_progress' };
      case 'complete':
        return { taskStatus: CLOSED };
      case 'end':
        return { parentStatus: CLOSED };
      case 'recovery':
        return { parentStatus: 'open', taskStatus: 'open' };
    }
  }

  async validate(config: TaskConfig): Promise<void> {
    const complaints = new Complaints();
    BEADS_RULES.complainOf?.(config, complaints);
    complaints.refuse();
    return await Promise.resolve();
  }

  async poll({ signal }: { readonly signal: AbortSignal }): Promise<readonly Ticket[]> {
    const ready = await this.#workspace.ready(signal);
    const claimed = await this.#workspace.claimed(signal);
    const { tickets, problems } = mergePolls({ ready, claimed, label: this.#label });
    this.#problems = problems;
    return tickets;
  }

  problems(): readonly TaskProblem[] {
    return this.#problems;
  }

  async view({ key }: { readonly key: string }): Promise<Ticket | undefined> {
    const issue = await this.#workspace.show(key);
    return issue === undefined || isPart(issue) || !belongsTo(issue.labels, this.#label) ? undefined : { ...ticketOf(issue, await this.#isBlocked(issue)), text: issue.description };
  }

  async claim({ key, labels }: { readonly key: string; readonly labels: readonly string[] }): Promise<Ticket> {
    return await this.#alone(key, async () => {
      const before = this.#own(await this.#ticket(key));
      // Beads cannot compare and set: of two servers that come this far at once, neither finds the claim to be its own.
      const addLabels = isTaken(before.labels, labels) ? [] : labels.filter(missingFrom(before));
      if (addLabels.length > 0) await this.#workspace.update(key, { addLabels });
      const issue = this.#own(await this.#ticket(key));
      return { ...ticketOf(issue, await this.#isBlocked(issue)), text: issue.description };
    });
  }

  async ensureMailboxes({ ticket, mailboxes }: { readonly ticket: string; readonly mailboxes: readonly MailboxSpec[] }): Promise<Readonly<Record<string, string>>> {
    return await this.#alone(ticket, async () => {
      await this.#ticket(ticket);
      if (mailboxes.length === 0) return {};
      const found = findMailboxes(await this.#workspace.children(ticket), mailboxes);
      const keys: Record<string, string> = {};
      for (const spec of mailboxes.toSorted((a, b) => (a.node < b.node ? -1 : 1))) {
        const { node, title, description } = spec;
        const there = found.get(node);
        const key = there?.id ?? (await this.#workspace.create({ title, parent: ticket, labels: [MAILBOX], description }));
        await this.#workspace.update(key, lackOf(there ?? { description, assignee: '' }, spec));
        keys[node] = key;
      }
      return keys;
    });
  }

  async transition({ ticket, transition, mailbox, assignee }: Parameters<TaskRepo['transition']>[0]): Promise<void> {
    await this.#alone(ticket, async () => {
      const steps: Step[] = [];
      if (mailbox !== undefined && (transition.taskStatus !== undefined || assignee !== undefined)) steps.push({ issue: await this.#mailbox(ticket, mailbox), move: 'mailbox', target: transition.taskStatus, assignee });
      if (transition.parentStatus !== undefined || mailbox === undefined) steps.push({ issue: await this.#ticket(ticket), move: 'ticket', target: transition.parentStatus });
      await this.#walk(steps);
    });
  }

  async reopenMailboxes({ ticket, mailboxes }: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void> {
    await this.#alone(ticket, async () => await this.#walk(await this.#mailboxes(ticket, mailboxes, 'restart')));
  }

  async resetForRecovery({ ticket, mailboxes }: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void> {
    await this.#alone(ticket, async () => {
      const parent: Step = { issue: await this.#ticket(ticket), move: 'recovery', target: 'open' };
      await this.#walk([...(await this.#mailboxes(ticket, mailboxes, 'recovery')), parent]);
    });
  }

  async addComment({ key, marker, body }: { readonly key: string; readonly marker: string; readonly body: string }): Promise<{ readonly added: boolean }> {
    if (!isMarker(marker)) throw new RelayError('task_rejected', `A comment on ${key} has a marker that cannot be written.`, { hint: 'Markers are words of visible ASCII without angle brackets.' });
    return await this.#alone(key, async () => {
      if ((await this.markers({ key })).includes(marker)) return { added: false };
      await this.#workspace.comment(key, withMarker(body, marker));
      return { added: true };
    });
  }

  async markers({ key }: { readonly key: string }): Promise<readonly string[]> {
    return (await this.#workspace.comments(key)).flatMap((text) => markerOf(text) ?? []);
  }

  agentEnvironment(): Readonly<Record<string, string>> {
    return agentVariables(this.#workspace.directory);
  }

  async #alone<Result>(key: string, act: () => Promise<Result>): Promise<Result> {
    return await this.#turns.hold(`${this.#workspace.directory}\0${key}`, act);
  }

  /** Every step is looked at before the first one is made: a conflict changes nothing. */
  async #walk(steps: readonly Step[]): Promise<void> {
    const decided = steps.map((step) => ({ step, way: step.target === undefined ? ('stay' as const) : wayTo(step.move, step.issue.status, step.target) }));
    for (const { step, way } of decided) if (typeof way === 'object') throw outOfReach(step, way.conflict);
    for (const { step, way } of decided) if (typeof way === 'string') await this.#make(step, way);
  }

  async #make({ issue, move, target, assignee }: Step, way: Extract<Way, string>): Promise<void> {
    const give = assignee === undefined || assignee === issue.assignee ? {} : { assignee };
    const clear = move === 'recovery' && (issue.defer_until !== '' || issue.status === 'deferred') ? { clearDeferral: true } : {};
    await this.#workspace.update(issue.id, { ...give, ...clear, ...(way === 'update' && target !== undefined ? { status: target } : {}) });
    if (way === 'close') await this.#workspace.close(issue.id, move === 'ticket' ? 'relay-flow: its workflow has ended.' : 'relay-flow: its step is done.');
    if (way === 'reopen') await this.#workspace.reopen(issue.id, 'relay-flow: its workflow begins another attempt.');
  }

  /** Throws `task_missing`. A mailbox is no ticket. */
  async #ticket(key: string): Promise<Issue> {
    const issue = await this.#workspace.show(key);
    if (issue === undefined) throw noIssue(key);
    if (isPart(issue)) throw new RelayError('task_missing', `There is no ticket ${key}: this is ${issue.parent === '' ? 'a mailbox' : `a child of ${issue.parent}`}.`, { hint: 'Name the ticket.', evidence: { issue: key } });
    return issue;
  }

  /** Of a shared workspace, only what is this repository's may be claimed. */
  #own(issue: Issue): Issue {
    if (belongsTo(issue.labels, this.#label)) return issue;
    throw new RelayError('task_conflict', `${issue.id} does not carry ${this.#label} as its only repo: label, so it cannot be claimed for ${this.repo.name}.`, { hint: 'Leave it exactly one, with `bd label add` and `bd label remove`.', evidence: { issue: issue.id } });
  }

  /** One that was there before and is gone was deleted by somebody. One that does not tell its parent is borne. */
  async #mailbox(ticket: string, key: string): Promise<Issue> {
    const issue = await this.#workspace.show(key);
    if (issue !== undefined && (issue.parent === ticket || issue.parent === '')) return issue;
    const what = issue === undefined ? 'does not exist any more' : `is a child of ${issue.parent} now`;
    throw new RelayError('task_conflict', `The mailbox ${key} of ${ticket} ${what}.`, { hint: issue === undefined ? 'Restore it. If it cannot be restored, cancel the run and restart it: mailboxes that are missing are made then.' : `Make ${ticket} its parent again.`, evidence: { issue: key, ticket } });
  }

  async #mailboxes(ticket: string, keys: readonly string[], move: Move): Promise<readonly Step[]> {
    const steps: Step[] = [];
    for (const key of keys) steps.push({ issue: await this.#mailbox(ticket, key), move, target: 'open' });
    return steps;
  }

  /** By what it depends on; a list of what is ready would have to be searched for one. */
  async #isBlocked(issue: Issue): Promise<boolean> {
    if (issue.status === 'blocked') return true;
    for (const { id, status } of blockersOf(issue)) {
      const known = status === '' ? (await this.#workspace.show(id))?.status : status;
      if (known !== undefined && known !== CLOSED) return true;
    }
    return false;
  }
}

function missingFrom({ labels }: Issue): (label: string) => boolean {
  return (label) => !labels.includes(label);
}

function outOfReach({ issue, move, target }: Step, allowed: readonly string[]): RelayError {
  const what = move === 'ticket' || (move === 'recovery' && issue.parent === '') ? issue.id : `The mailbox ${issue.id} of ${issue.parent}`;
  const words = allowed.length === 1 ? (allowed[0] ?? '') : `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1) ?? ''}`;
  return new RelayError('task_conflict', `${what} is ${issue.status} and cannot become ${target ?? ''} from there.`, { hint: `Move it to ${words} with \`bd update ${issue.id} --status ${allowed[0] ?? 'open'}\`; it goes on by itself then.`, evidence: { issue: issue.id, status: issue.status, target: target ?? null, allowed } });
}
