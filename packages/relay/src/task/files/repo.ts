import { RelayError } from '../../errors/relay-error.js';
import { Complaints } from '../config/complaints.js';
import type { MailboxSpec, RepoBinding, TaskProblem, TaskRepo, Ticket, Transition } from '../port.js';
import type { LifecyclePoint, TaskConfig } from '../task-config.js';
import { isTaken } from '../claim-labels.js';
import type { TicketFolder } from './folder.js';
import { findMailboxes } from './mailboxes.js';
import { Poll } from './poll.js';
import type { Records } from './records/records.js';
import { statusSet, type WrittenMailbox, type WrittenStatus } from './records/written.js';
import { FILES_RULES } from './rules.js';
import type { FilesSettings } from './settings.js';
import { isMarker, type OurComment } from './text/comments.js';
import { newMailbox, type TicketText } from './ticket-file.js';
import { placeOf } from './ticket-key.js';
import { isDone, statusOf, ticketOf } from './ticket-view.js';

export interface FilesRepoParts {
  readonly repo: RepoBinding;
  readonly settings: FilesSettings;
  readonly folder: TicketFolder;
  readonly records: Records;
  readonly now: () => number;
  /** Whose claims these are. */
  readonly owner: string | undefined;
}

/**
 * Tickets of one folder. The files are the truth, read anew by every call; the record of what we wrote, kept behind the write it tells of, only serves to notice that a
 * save took it away. So a crash in between costs nothing but that notice.
 */
export class FilesRepo implements TaskRepo {
  readonly repo: RepoBinding;
  readonly identity: string;
  declare readonly owner?: string;
  readonly #settings: FilesSettings;
  readonly #folder: TicketFolder;
  readonly #records: Records;
  readonly #now: () => number;
  readonly #poll: Poll;

  constructor(parts: FilesRepoParts) {
    this.repo = parts.repo;
    this.identity = `files:${parts.settings.directory}`;
    if (parts.owner !== undefined) this.owner = parts.owner;
    this.#settings = parts.settings;
    this.#folder = parts.folder;
    this.#records = parts.records;
    this.#now = parts.now;
    this.#poll = new Poll({ folder: parts.folder, records: parts.records, statuses: parts.settings.statuses, now: parts.now });
  }

  lifecycleDefault(point: LifecyclePoint): Transition {
    const { start, work, end } = this.#settings.statuses;
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
        return { parentStatus: start, taskStatus: start };
    }
  }

  async validate(config: TaskConfig): Promise<void> {
    const complaints = new Complaints();
    FILES_RULES.complainOf?.(config, complaints);
    complaints.refuse();
    return await Promise.resolve();
  }

  async poll({ signal }: { readonly signal: AbortSignal }): Promise<readonly Ticket[]> {
    return await this.#poll.run(signal);
  }

  problems(): readonly TaskProblem[] {
    return this.#poll.problems;
  }

  async view({ key }: { readonly key: string }): Promise<Ticket | undefined> {
    if (placeOf(key)?.mailbox !== undefined) return undefined;
    const found = await this.#folder.readAll(key);
    return found === undefined ? undefined : { ...(await this.#ticket(key, found.text)), text: found.description };
  }

  async claim({ key, labels }: { readonly key: string; readonly labels: readonly string[] }): Promise<Ticket> {
    ticketKey(key);
    await this.#records.update(key, async (written) => {
      const decided = await this.#folder.change(key, (found) => (isTaken(found.labels, labels) ? undefined : { labels }));
      const all = decided === undefined ? written.labels : [...new Set([...written.labels, ...labels])];
      return all.length === written.labels.length ? written : { ...written, labels: all };
    });
    return await this.#ticket(key, await this.#folder.need(key));
  }

  async ensureMailboxes({ ticket, mailboxes }: { readonly ticket: string; readonly mailboxes: readonly MailboxSpec[] }): Promise<Readonly<Record<string, string>>> {
    await this.#folder.need(ticketKey(ticket));
    const keys: Record<string, string> = {};
    await this.#records.update(ticket, async (written) => {
      const found = await findMailboxes(this.#folder, ticket, mailboxes);
      const made: Record<string, WrittenMailbox> = {};
      for (const { node, title, description, assignee } of [...mailboxes].sort((a, b) => (a.node < b.node ? -1 : 1))) {
        const key = found.get(node) ?? `${ticket}/${node}`;
        const fresh = !found.has(node) && (await this.#folder.make(key, newMailbox({ title, status: this.#settings.statuses.start, assignee, description })));
        const name = placeOf(key)?.mailbox ?? node;
        // What we have said already is there, with what a person has made of it.
        const news = written.mailboxes[name]?.description === description ? {} : { description };
        // One that was there, or was made by somebody else in this moment.
        if (!fresh) await this.#folder.change(key, () => ({ ...news, ...(assignee === undefined ? {} : { assignee }) }));
        made[name] = { comments: [], ...written.mailboxes[name], title, description, ...(assignee === undefined ? {} : { assignee }) };
        keys[node] = key;
      }
      return mailboxes.length === 0 ? written : { ...written, mailboxes: { ...written.mailboxes, ...made } };
    });
    return keys;
  }

  async transition({ ticket, transition, mailbox, assignee }: Parameters<TaskRepo['transition']>[0]): Promise<void> {
    if (mailbox !== undefined) await this.#bring(mailbox, transition.taskStatus, assignee);
    if (transition.parentStatus !== undefined || mailbox === undefined) await this.#bring(ticketKey(ticket), transition.parentStatus, undefined);
  }

  async reopenMailboxes({ mailboxes }: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void> {
    for (const mailbox of mailboxes) await this.#bring(mailbox, this.#settings.statuses.start, undefined);
  }

  async resetForRecovery({ ticket, mailboxes }: { readonly ticket: string; readonly mailboxes: readonly string[] }): Promise<void> {
    await this.reopenMailboxes({ ticket, mailboxes });
    await this.#bring(ticketKey(ticket), this.#settings.statuses.start, undefined);
  }

  async addComment({ key, marker, body }: { readonly key: string; readonly marker: string; readonly body: string }): Promise<{ readonly added: boolean }> {
    if (!isMarker(marker)) throw new RelayError('task_rejected', `A comment on ${key} has a marker that cannot be written.`, { hint: 'Markers are words of visible ASCII without angle brackets.' });
    const comment = { marker, at: new Date(this.#now()).toISOString(), body };
    let added = false;
    await this.#write(key, async (written) => {
      const edit = await this.#folder.change(key, ({ markers }) => (markers.includes(marker) ? undefined : { comments: [comment] }));
      added = edit !== undefined;
      return added ? { ...written, comments: [...written.comments.filter((one) => one.marker !== marker), comment] } : written;
    });
    return { added };
  }

  async markers({ key }: { readonly key: string }): Promise<readonly string[]> {
    return (await this.#folder.need(key)).markers;
  }

  agentEnvironment({ ticket }: { readonly ticket: string }): Readonly<Record<string, string>> {
    return { RELAY_FLOW_TICKETS_DIR: this.#folder.directory, RELAY_FLOW_TICKET_FILE: this.#folder.pathOf(ticketKey(ticket)) };
  }

  async #bring(key: string, status: string | undefined, assignee: string | undefined): Promise<void> {
    await this.#write(key, async (written) => {
      let before = '';
      await this.#folder.change(key, (found) => {
        before = statusOf(found, this.#settings.statuses);
        return { ...(status === undefined ? {} : { status }), ...(assignee === undefined ? {} : { assignee }) };
      });
      const known = status === undefined || (before === status && written.status?.value === status);
      if (known && (assignee === undefined || written.assignee === assignee)) return written;
      return { ...written, ...(known ? {} : { status: statusSet(written.status, before, status) }), ...(assignee === undefined ? {} : { assignee }) };
    });
  }

  /** Writes into a ticket, or a mailbox, and remembers what. What we did not make ourselves is not remembered. */
  async #write(key: string, act: <T extends Remembered>(written: T) => Promise<T>): Promise<void> {
    const { ticket, mailbox } = placeOf(key) ?? { ticket: key };
    await this.#records.update(ticket, async (written) => {
      if (mailbox === undefined) return await act(written);
      const known = written.mailboxes[mailbox];
      const after = await act(known ?? { title: '', description: '', comments: [] });
      return known === undefined || after === known ? written : { ...written, mailboxes: { ...written.mailboxes, [mailbox]: after } };
    });
  }

  async #ticket(key: string, text: TicketText): Promise<Ticket> {
    let blocked = false;
    for (const blocker of text.blockedBy) {
      // A file that cannot be read is not done either.
      const other = await this.#folder.read(blocker).catch(() => undefined);
      blocked ||= other === undefined || !isDone(other, this.#settings.statuses);
    }
    return ticketOf(key, text, blocked, this.#settings.statuses);
  }
}

interface Remembered {
  readonly status?: WrittenStatus | undefined;
  readonly assignee?: string | undefined;
  readonly comments: readonly OurComment[];
}

/** A mailbox is no ticket: what is said about tickets must not reach one. */
function ticketKey(key: string): string {
  if (placeOf(key)?.mailbox !== undefined) throw new RelayError('task_missing', `There is no ticket ${key}: this is a mailbox.`, { hint: 'Name the ticket.' });
  return key;
}
