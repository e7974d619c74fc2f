import { lstat } from 'node:fs/promises';
import { isRelayError } from '../../errors/relay-error.js';
import type { TaskProblem } from '../port.js';
import { diskFailure, errno } from './disk/failure.js';
import { sameStamp, type Stamp } from './disk/read-file.js';
import { eachAtOnce } from './each-at-once.js';
import type { TicketFolder } from './folder.js';
import type { Records } from './records/records.js';
import { compare, nothingLost, type Comparison } from './records/restore.js';
import type { Written, WrittenMailbox } from './records/written.js';
import type { Statuses } from './settings.js';
import { newMailbox, type Edit, type TicketText } from './ticket-file.js';
import { isDone, statusOf } from './ticket-view.js';

/** A file that was saved so lately may not be complete: what looks lost may only not be there yet, and writing would cut the save short. */
const QUIET_MS = 2_000;
/** A ticket that is gone for so long is not in the middle of a save: another of the same key would be another. */
const GONE_MS = 60_000;

/**
 * So many mailboxes of which nothing is known are read in one poll, the others in the next ones: after a restart that is all of them, and a server with
 * thousands of tickets must not wait for what matters less than the tickets themselves.
 */
const UNKNOWN_MAILBOXES_AT_ONCE = 200;

type Kept = Pick<Written, 'status' | 'comments'>;

export interface Polled {
  readonly stamp: Stamp;
  readonly text: TicketText;
}

export interface KeeperParts {
  readonly folder: TicketFolder;
  readonly records: Records;
  readonly statuses: Statuses;
  readonly now: () => number;
}

/** Writes again what saves of people took away. Looks only at files that changed since it last did. */
export class Keeper {
  readonly #parts: KeeperParts;
  /** Files in which nothing was missing, and as they were then; `undefined`: one that was put right and is to be read once more. */
  readonly #seen = new Map<string, Stamp | undefined>();
  readonly #gone = new Map<string, number>();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** `present`: keys of all files there are, broken ones too. Answers with the tickets that were changed. */
  async keep(tickets: ReadonlyMap<string, Polled>, present: ReadonlySet<string>, signal: AbortSignal): Promise<{ readonly changed: readonly string[]; readonly problems: readonly TaskProblem[] }> {
    const changed: string[] = [];
    const problems: TaskProblem[] = [];
    const attempt = async (key: string, act: () => Promise<boolean>): Promise<void> => {
      try {
        if (await act()) changed.push(key);
      } catch (error) {
        if (!isRelayError(error)) throw error;
        problems.push({ where: `${key}.md`, text: error.text, ...(error.hint === undefined ? {} : { hint: error.hint }) });
      }
    };
    let toRead = UNKNOWN_MAILBOXES_AT_ONCE;
    const mayRead = () => (toRead -= 1) >= 0;
    await eachAtOnce(await this.#parts.records.keys(), signal, async (key) => {
      const ticket = tickets.get(key);
      if (!present.has(key)) return await this.#forgetGone(key);
      this.#gone.delete(key);
      if (ticket === undefined) return;
      await attempt(key, async () => await this.#keepTicket(key, ticket));
      // Nobody works on a ticket that is done, and there will be more and more of them.
      if (isDone(ticket.text, this.#parts.statuses)) return;
      for (const name of await this.#parts.records.mailboxes(key)) await attempt(`${key}/${name}`, async () => await this.#keepMailbox(key, name, mayRead));
    });
    return { changed: changed.filter((key) => !key.includes('/')), problems };
  }

  async #keepTicket(key: string, { stamp, text }: Polled): Promise<boolean> {
    if (this.#known(key, stamp) || !this.#quiet(stamp)) return false;
    const written = await this.#parts.records.get(key);
    const lost = written !== undefined && this.#differs(written, written.labels, text);
    this.#seen.set(key, lost ? undefined : stamp);
    return lost && (await this.#putBack(key));
  }

  async #keepMailbox(ticket: string, name: string, mayRead: () => boolean): Promise<boolean> {
    const key = `${ticket}/${name}`;
    const stamp = await lstat(this.#parts.folder.pathOf(key), { bigint: true }).catch((error: unknown) => {
      if (errno(error) === 'ENOENT') return undefined;
      throw diskFailure(error, `The mailbox file ${key}.md`);
    });
    if (stamp !== undefined && (this.#known(key, stamp) || !this.#quiet(stamp) || (!this.#seen.has(key) && !mayRead()))) return false;
    const written = (await this.#parts.records.get(ticket))?.mailboxes[name];
    if (written === undefined) return false;
    if (stamp === undefined) return await this.#makeAgain(ticket, key, written);
    const text = await this.#parts.folder.read(key);
    const lost = text !== undefined && this.#differs(written, [], text);
    this.#seen.set(key, lost ? undefined : stamp);
    return lost && (await this.#putBack(key));
  }

  /** Unless a person renamed it: a mailbox is found by its title. */
  async #makeAgain(ticket: string, key: string, { title, description, assignee, status, comments }: WrittenMailbox): Promise<boolean> {
    const { folder, statuses } = this.#parts;
    for (const other of await folder.mailboxes(ticket)) if ((await folder.read(other).catch(() => undefined))?.title === title) return false;
    return await folder.make(key, newMailbox({ title, status: status?.value ?? statuses.start, assignee, description, comments }));
  }

  #differs(written: Kept, labels: readonly string[], text: TicketText): boolean {
    const { lost, status } = compare({ ...written, labels }, this.#found(text));
    return !nothingLost(lost) || status !== written.status;
  }

  /** Decided anew on what was written and what is there by now: the engine may be at work on the same ticket. */
  async #putBack(key: string): Promise<boolean> {
    const { folder, records } = this.#parts;
    const [ticket = '', mailbox] = key.split('/');
    let changed = false;
    const act = async <T extends Kept>(written: T, labels: readonly string[]): Promise<T> => {
      let comparison: Comparison = { lost: { labels: [], comments: [] } };
      const edit = await folder.change(key, (text): Edit | undefined => {
        comparison = compare({ ...written, labels }, this.#found(text));
        return nothingLost(comparison.lost) ? undefined : comparison.lost;
      });
      changed = edit !== undefined;
      if (comparison.status === written.status) return written;
      const { status: _, ...rest } = written;
      return { ...rest, ...(comparison.status === undefined ? {} : { status: comparison.status }) } as T;
    };
    await records.update(ticket, async (written) => {
      if (mailbox === undefined) return await act(written, written.labels);
      const known = written.mailboxes[mailbox];
      if (known === undefined) return written;
      const after = await act(known, []);
      return after === known ? written : { ...written, mailboxes: { ...written.mailboxes, [mailbox]: after } };
    });
    return changed;
  }

  #found(text: TicketText) {
    return { status: statusOf(text, this.#parts.statuses), labels: text.labels, markers: text.markers };
  }

  #known(key: string, stamp: Stamp): boolean {
    const seen = this.#seen.get(key);
    return seen !== undefined && sameStamp(seen, stamp);
  }

  #quiet({ mtimeNs }: Stamp): boolean {
    const age = this.#parts.now() - Number(mtimeNs / 1_000_000n);
    // A time in the future says nothing about when it was saved.
    return age >= QUIET_MS || age < -QUIET_MS;
  }

  async #forgetGone(key: string): Promise<void> {
    const since = this.#gone.get(key) ?? this.#parts.now();
    this.#gone.set(key, since);
    if (this.#parts.now() - since < GONE_MS) return;
    this.#gone.delete(key);
    for (const name of await this.#parts.records.mailboxes(key)) this.#seen.delete(`${key}/${name}`);
    this.#seen.delete(key);
    await this.#parts.records.forget(key);
  }
}
