import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '../../errors/relay-error.js';
import { changeFile, makeFile, type WriteWatch } from './disk/change-file.js';
import { diskFailure, errno, notPlain } from './disk/failure.js';
import { openPlain, type OpenFile } from './disk/read-file.js';
import { placeOf } from './ticket-key.js';
import { brokenTicket, descriptionIn, edited, parseTicket, type Edit, type ParsedTicket, type TicketText } from './ticket-file.js';

/** A file that was saved so lately may still be being written. */
const FRESH_MS = 1_000;

interface Found {
  readonly file: OpenFile;
  readonly ticket: ParsedTicket;
}

/** The folder of tickets: reads and writes files by key. Keeps nothing. */
export class TicketFolder {
  readonly directory: string;
  readonly #watch: WriteWatch;

  constructor(directory: string, watch: WriteWatch) {
    this.directory = directory;
    this.#watch = watch;
  }

  /** `undefined`: no such file, or no key. Throws `task_conflict` when it is broken. */
  async read(key: string): Promise<TicketText | undefined> {
    return (await this.#read(key))?.ticket.text;
  }

  /** The same with what people wrote above the comments. */
  async readAll(key: string): Promise<{ readonly text: TicketText; readonly description: string } | undefined> {
    const found = await this.#read(key);
    return found === undefined ? undefined : { text: found.ticket.text, description: descriptionIn(found.file.bytes) };
  }

  async need(key: string): Promise<TicketText> {
    return (await this.read(key)) ?? this.#missing(key);
  }

  /** Changes a file; `edit` sees what is there. Answers with what it decided last. */
  async change<T extends Edit | undefined>(key: string, edit: (found: TicketText) => T): Promise<T> {
    const place = this.#place(key);
    const found = await this.#open(key);
    if (place === undefined || found === undefined) return this.#missing(key);
    const { file: opened, ticket } = found;
    try {
      let decided = edit(ticket.text);
      const apply = (content: Buffer, parsed?: ParsedTicket): Buffer => {
        try {
          const parts = parsed ?? parseTicket(content);
          if (parsed === undefined) decided = edit(parts.text);
          return decided === undefined ? content : edited(parts, decided);
        } catch (error) {
          throw brokenTicket(error, place.what);
        }
      };
      // Most calls that are made again find everything done.
      const next = apply(opened.bytes, ticket);
      if (next.equals(opened.bytes)) return decided;
      await changeFile({ ...place, opened, watch: this.#watch, change: (content) => (content.equals(opened.bytes) ? next : apply(content)) });
      return decided;
    } finally {
      await opened.handle.close();
    }
  }

  /** False when there is a file. The folder of a ticket's mailboxes is made. */
  async make(key: string, content: Buffer): Promise<boolean> {
    const place = this.#place(key) ?? this.#missing(key);
    try {
      await mkdir(join(this.directory, placeOf(key)?.ticket ?? ''), { recursive: true });
    } catch (error) {
      throw diskFailure(error, place.what);
    }
    if (!(await this.#reachable(key))) return this.#missing(key);
    return await makeFile({ ...place, content, watch: this.#watch });
  }

  /** Keys of the files beside each other in a ticket's folder; empty when there is none. */
  async mailboxes(ticket: string): Promise<readonly string[]> {
    if (!(await this.#reachable(`${ticket}/any`))) return [];
    const names = await readdir(join(this.directory, ticket)).catch((error: unknown): string[] => {
      if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return [];
      throw diskFailure(error, `The folder ${ticket} of mailboxes`);
    });
    return names.filter((name) => name.endsWith('.md')).map((name) => `${ticket}/${name.slice(0, -3)}`).filter((key) => placeOf(key) !== undefined).sort();
  }

  /** Absolute. */
  pathOf(key: string): string {
    return join(this.directory, `${key}.md`);
  }

  async #read(key: string): Promise<Found | undefined> {
    const found = await this.#open(key);
    await found?.file.handle.close();
    return found;
  }

  /** The caller closes it. */
  async #open(key: string): Promise<Found | undefined> {
    const place = this.#place(key);
    if (place === undefined || !(await this.#reachable(key))) return undefined;
    for (let tries = 1; ; tries += 1) {
      try {
        const file = await openPlain(place.path, place.what);
        try {
          return { file, ticket: parseTicket(file.bytes) };
        } catch (error) {
          await file.handle.close();
          throw error;
        }
      } catch (error) {
        if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return undefined;
        if (errno(error) !== undefined) throw diskFailure(error, place.what);
        // Editors that save in place leave half a file for a moment.
        const age = Date.now() - (await lstat(place.path).then(({ mtimeMs }) => mtimeMs, () => 0));
        if (tries === 4 || age > FRESH_MS) throw brokenTicket(error, place.what);
        await sleep(25 * tries);
      }
    }
  }

  #place(key: string): { readonly path: string; readonly what: string } | undefined {
    const place = placeOf(key);
    return place === undefined ? undefined : { path: this.pathOf(key), what: place.mailbox === undefined ? `The ticket file ${key}.md` : `The mailbox file ${key}.md` };
  }

  /** Whether the folder of a mailbox exists. One that is a symbolic link may lead anywhere. */
  async #reachable(key: string): Promise<boolean> {
    const place = placeOf(key);
    if (place?.mailbox === undefined) return true;
    const what = `The folder ${place.ticket} of mailboxes`;
    const stats = await lstat(join(this.directory, place.ticket)).catch((error: unknown) => {
      if (errno(error) === 'ENOENT') return undefined;
      throw diskFailure(error, what);
    });
    if (stats !== undefined && !stats.isDirectory()) throw notPlain(what);
    return stats !== undefined;
  }

  #missing(key: string): never {
    const what = key.includes('/') ? 'mailbox' : 'ticket';
    throw new RelayError('task_missing', `There is no ${what} ${JSON.stringify(key).slice(1, -1)} in ${this.directory}.`, { hint: `Put the file of the ${what} back, or cancel the run.`, evidence: { key } });
  }
}
