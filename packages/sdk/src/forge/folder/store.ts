import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FlowsError } from '../../errors/flows-error.js';
import { changeIn, layoutOf } from './layout.js';

/** What `change.json` holds. */
export interface ChangeFacts {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly draft: boolean;
  readonly reviewers: readonly string[];
}

/**
 * Reads and writes the folder. Several processes may do so at once, and any may be killed at any point: what appears, appears whole and by one rename,
 * which the file system refuses to the second of two.
 */
export class FolderStore {
  readonly #directory: string;
  readonly #layout;

  constructor(directory: string) {
    this.#directory = directory;
    this.#layout = layoutOf(directory);
  }

  /** The folder of a branch's change, whether there is one or not. */
  placeOf(branch: string) {
    return this.#layout.change(branch);
  }

  async read(branch: string): Promise<ChangeFacts | undefined> {
    const { facts } = this.placeOf(branch);
    const text = await readFile(facts, 'utf8').catch(missing);
    return text === undefined ? undefined : parseFacts(text, facts);
  }

  /** Publishes a change. False when the branch has one. */
  async create(facts: Omit<ChangeFacts, 'number'>, description: string): Promise<ChangeFacts | undefined> {
    const { folder } = this.placeOf(facts.branch);
    const staged = changeIn(join(this.#directory, `.staged-${randomUUID()}`));
    await mkdir(staged.comments, { recursive: true });
    await mkdir(this.#layout.open, { recursive: true });
    try {
      const created = { number: await this.#number(), ...facts };
      await writeFile(staged.description, description);
      await writeFile(staged.facts, printed(created));
      await rename(staged.folder, folder);
      return created;
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    } finally {
      await rm(staged.folder, { recursive: true, force: true });
    }
  }

  /** Replaces what is known of an open change, and its description when one is given. */
  async write(facts: ChangeFacts, description?: string): Promise<void> {
    const place = this.placeOf(facts.branch);
    if (description !== undefined) await replace(place.description, description);
    await replace(place.facts, printed(facts));
  }

  async comments(branch: string): Promise<readonly string[]> {
    const { comments } = this.placeOf(branch);
    const names = (await readdir(comments).catch(missing)) ?? [];
    return await Promise.all(names.filter((name) => name.endsWith('.md')).sort().map(async (name) => await readFile(join(comments, name), 'utf8')));
  }

  async addComment(branch: string, body: string): Promise<void> {
    const { folder, comments } = this.placeOf(branch);
    const staged = join(folder, `.staged-${randomUUID()}`);
    await writeFile(staged, body);
    try {
      for (let number = (await this.comments(branch)).length + 1; ; number += 1) {
        if (await link(staged, join(comments, `${String(number).padStart(4, '0')}.md`)).then(() => true, taken)) return;
      }
    } finally {
      await rm(staged, { force: true });
    }
  }

  /** The next number. One that was given out is never given out again, so that killed calls leave gaps. */
  async #number(): Promise<number> {
    await mkdir(this.#layout.numbers, { recursive: true });
    const given = (await readdir(this.#layout.numbers)).map(Number).filter(Number.isInteger);
    for (let number = Math.max(0, ...given) + 1; ; number += 1) {
      if (await mkdir(join(this.#layout.numbers, String(number))).then(() => true, taken)) return number;
    }
  }
}

async function replace(file: string, text: string): Promise<void> {
  const staged = `${file}.${randomUUID()}`;
  await writeFile(staged, text);
  await rename(staged, file);
}

function printed(facts: ChangeFacts): string {
  return `${JSON.stringify(facts, undefined, 2)}\n`;
}

function parseFacts(text: string, path: string): ChangeFacts {
  try {
    const { number, branch, base, title, draft, reviewers } = JSON.parse(text) as ChangeFacts;
    if (typeof number === 'number' && [branch, base, title].every((member) => typeof member === 'string') && typeof draft === 'boolean' && Array.isArray(reviewers)) {
      return { number, branch, base, title, draft, reviewers };
    }
  } catch {
    // Said below.
  }
  throw new FlowsError('forge_refused', `${path} does not describe a change.`, { hint: 'Correct it, or move the folder it lies in away.', evidence: { path } });
}

function missing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function taken(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  return false;
}
