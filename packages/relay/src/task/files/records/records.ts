import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTicketKey } from '../ticket-key.js';
import { NOTHING, writtenSchema, type Written } from './written.js';

/**
 * What we wrote, by ticket. With a directory it outlives the process: one JSON file per ticket, so that comments of thousands of tickets take no memory. It is a
 * help and not the truth: a record that is lost or cannot be read only means that an older text saved over ours is not noticed.
 */
export class Records {
  readonly #directory: string | undefined;
  readonly #held = new Map<string, Written>();
  /** Mailboxes by ticket, for every ticket with a record. */
  readonly #index = new Map<string, readonly string[]>();
  #loaded: Promise<void> | undefined;
  readonly #turns = new Map<string, Promise<void>>();

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  /** Names of the mailboxes that we made, for every ticket in which we wrote something. */
  async index(): Promise<ReadonlyMap<string, readonly string[]>> {
    await (this.#loaded ??= this.#load());
    return this.#index;
  }

  async get(key: string): Promise<Written | undefined> {
    return this.#directory === undefined ? this.#held.get(key) : await this.#read(this.#directory, key);
  }

  /** One at a time for each ticket. */
  async update(key: string, change: (written: Written) => Written): Promise<void> {
    await (this.#loaded ??= this.#load());
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(async () => {
      const before = await this.get(key);
      await this.#write(key, change(before ?? NOTHING));
    });
    const settled = turn.catch(() => undefined);
    this.#turns.set(key, settled);
    await turn.finally(() => {
      if (this.#turns.get(key) === settled) this.#turns.delete(key);
    });
  }

  async forget(key: string): Promise<void> {
    this.#index.delete(key);
    this.#held.delete(key);
    if (this.#directory !== undefined) await rm(join(this.#directory, `${key}.json`), { force: true });
  }

  async #write(key: string, written: Written): Promise<void> {
    this.#index.set(key, Object.keys(written.mailboxes));
    if (this.#directory === undefined) {
      this.#held.set(key, written);
      return;
    }
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = join(this.#directory, `.${randomUUID()}.tmp`);
    await writeFile(temporary, JSON.stringify(written), { mode: 0o600 });
    await rename(temporary, join(this.#directory, `${key}.json`));
  }

  async #read(directory: string, key: string): Promise<Written | undefined> {
    const text = await readFile(join(directory, `${key}.json`), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      return writtenSchema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  async #load(): Promise<void> {
    if (this.#directory === undefined) return;
    const names = await readdir(this.#directory).catch((): string[] => []);
    for (const name of names) {
      const key = name.endsWith('.json') ? name.slice(0, -'.json'.length) : '';
      const written = isTicketKey(key) ? await this.#read(this.#directory, key) : undefined;
      if (written !== undefined) this.#index.set(key, Object.keys(written.mailboxes));
      else if (name.endsWith('.tmp')) await rm(join(this.#directory, name), { force: true });
    }
  }
}
