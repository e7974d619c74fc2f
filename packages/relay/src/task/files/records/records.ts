import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Recent } from '../../../recent.js';
import { isTicketKey } from '../ticket-key.js';
import { NOTHING, writtenSchema, type Written } from './written.js';

/** Of JSON; twice as many bytes of memory, or a little more. */
const RECENT_CHARACTERS = 2 * 1024 * 1024;

/**
 * What we wrote, by ticket. With a directory it outlives the process: one JSON file per ticket, so that comments of thousands of tickets take no memory. It is a
 * help and not the truth: a record that is lost or cannot be read only means that an older text saved over ours is not noticed.
 */
export class Records {
  /** Those that were used last: a ticket is written several times in a row. */
  readonly #recent = new Recent<Written>(RECENT_CHARACTERS);
  readonly #directory: string | undefined;
  readonly #held = new Map<string, Written>();
  /** By ticket, for every ticket with a record; `undefined` until the record was read once. */
  readonly #mailboxes = new Map<string, readonly string[] | undefined>();
  #loaded: Promise<void> | undefined;
  readonly #turns = new Map<string, Promise<void>>();
  /** Counts what was replaced or removed on disk: what was read meanwhile may be what was there before. */
  #replaced = 0;

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  /** Every ticket in which we wrote something. */
  async keys(): Promise<readonly string[]> {
    await (this.#loaded ??= this.#load());
    return [...this.#mailboxes.keys()];
  }

  /** Names of the mailboxes that we made for a ticket. */
  async mailboxes(key: string): Promise<readonly string[]> {
    return this.#mailboxes.get(key) ?? Object.keys((await this.get(key))?.mailboxes ?? {});
  }

  async get(key: string): Promise<Written | undefined> {
    if (this.#directory === undefined) return this.#held.get(key);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    return await this.#read(this.#directory, key);
  }

  /**
   * Writes something into a ticket or its mailboxes and remembers it: `act` gets what was written until now and resolves to what is written then, or to the same
   * when there is nothing to remember. One at a time for each ticket, so that nobody sees the one without the other.
   */
  async update(key: string, act: (written: Written) => Promise<Written>): Promise<void> {
    await (this.#loaded ??= this.#load());
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(async () => {
      const before = (await this.get(key)) ?? NOTHING;
      const after = await act(before);
      if (after !== before) await this.#write(key, after);
    });
    const settled = turn.catch(() => undefined);
    this.#turns.set(key, settled);
    await turn.finally(() => {
      if (this.#turns.get(key) === settled) this.#turns.delete(key);
    });
  }

  async forget(key: string): Promise<void> {
    this.#mailboxes.delete(key);
    this.#held.delete(key);
    this.#recent.drop(key);
    if (this.#directory === undefined) return;
    await rm(join(this.#directory, `${key}.json`), { force: true });
    this.#replaced += 1;
    this.#mailboxes.delete(key);
    this.#recent.drop(key);
  }

  async #write(key: string, written: Written): Promise<void> {
    if (this.#directory === undefined) {
      this.#held.set(key, written);
      this.#mailboxes.set(key, Object.keys(written.mailboxes));
      return;
    }
    if (!this.#mailboxes.has(key)) await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = join(this.#directory, `.${randomUUID()}.tmp`);
    const text = JSON.stringify(written);
    // What is on disk is not known while it is being replaced.
    this.#recent.drop(key);
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, join(this.#directory, `${key}.json`));
    this.#replaced += 1;
    this.#remember(key, written, text.length);
  }

  #remember(key: string, written: Written, size: number): void {
    this.#mailboxes.set(key, Object.keys(written.mailboxes));
    this.#recent.put(key, written, size);
  }

  async #read(directory: string, key: string): Promise<Written | undefined> {
    const replaced = this.#replaced;
    const text = await readFile(join(directory, `${key}.json`), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const written = writtenSchema.safeParse(JSON.parse(text)).data;
      // A poll reads while the engine writes.
      if (written !== undefined && replaced === this.#replaced) this.#remember(key, written, text.length);
      return written;
    } catch {
      return undefined;
    }
  }

  async #load(): Promise<void> {
    if (this.#directory === undefined) return;
    for (const name of await readdir(this.#directory).catch((): string[] => [])) {
      const key = name.endsWith('.json') ? name.slice(0, -'.json'.length) : '';
      if (isTicketKey(key)) this.#mailboxes.set(key, undefined);
      else if (name.endsWith('.tmp')) await rm(join(this.#directory, name), { force: true });
    }
  }
}
