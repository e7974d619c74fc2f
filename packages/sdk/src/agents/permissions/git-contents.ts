import { git, joinNames, splitNames } from '../directory/git.js';
import type { SnapshotFile, TreeRequest } from '../directory/tree-snapshot.js';
import type { Held } from './held.js';

/** How much is asked for at once, in bytes. */
const AT_ONCE = 32 * 1024 * 1024;

/**
 * The content that files had in the working tree, from git's objects. Git may have stored them in another form, so bytes are given only when they have
 * the size that the file had: no conversion of line endings keeps it, and one that was made everywhere gives it back. `ident` can give another
 * text of the same size, so of a file with that attribute only the stored form counts.
 */
export class GitContents {
  readonly #held: Held;
  readonly #look: TreeRequest;
  /** Where a filter or another encoding applies: what is stored has nothing to do with what was there. */
  readonly #filtered: ReadonlySet<string>;
  readonly #ident: ReadonlySet<string>;
  /** In the order in which they will be asked for. */
  readonly #names: readonly string[];
  #read = new Map<string, Buffer>();

  private constructor(args: { readonly held: Held; readonly look: TreeRequest; readonly names: readonly string[]; readonly attributes: Attributes }) {
    this.#held = args.held;
    this.#look = args.look;
    this.#names = args.names;
    this.#filtered = args.attributes.filtered;
    this.#ident = args.attributes.ident;
  }

  static async of(args: { readonly held: Held; readonly look: TreeRequest; readonly names: readonly string[] }): Promise<GitContents> {
    const { held, look } = args;
    const names = args.names.filter((name) => idOf(held.tree.files.get(name)) !== undefined);
    return new GitContents({ held, look, names, attributes: await attributesOf(look, names) });
  }

  /** `undefined` when git does not have the bytes the file had. */
  async bytes(name: string): Promise<Buffer | undefined> {
    const file = this.#held.tree.files.get(name);
    const id = idOf(file);
    if (file === undefined || id === undefined) return undefined;
    const stored = this.#filtered.has(name) ? undefined : await this.#raw(name);
    this.#read.delete(name);
    if (stored?.length === file.size) return stored;
    const smudged = this.#ident.has(name) ? undefined : await this.#smudged(name, id);
    return smudged?.length === file.size ? smudged : undefined;
  }

  async #smudged(name: string, id: string): Promise<Buffer | undefined> {
    const { directory, hostEnv } = this.#look;
    const shown = await git({ cwd: directory, hostEnv, args: ['cat-file', '--filters', `--path=./${Buffer.from(name, 'latin1').toString('utf8')}`, id] });
    return shown.exitCode === 0 ? shown.stdout : undefined;
  }

  async #raw(name: string): Promise<Buffer | undefined> {
    if (!this.#read.has(name)) this.#read = await this.#readFrom(this.#names.indexOf(name));
    return this.#read.get(name);
  }

  /** Reads the next names in one call of git. */
  async #readFrom(start: number): Promise<Map<string, Buffer>> {
    const batch: { readonly name: string; readonly id: string }[] = [];
    let bytes = 0;
    for (let at = Math.max(0, start); at < this.#names.length && (batch.length === 0 || bytes < AT_ONCE); at += 1) {
      const name = this.#names[at] ?? '';
      const file = this.#held.tree.files.get(name);
      const id = idOf(file);
      if (id === undefined || this.#filtered.has(name)) continue;
      bytes += file?.size ?? 0;
      batch.push({ name, id });
    }
    const { directory, hostEnv } = this.#look;
    const answered = (await git({ cwd: directory, hostEnv, args: ['cat-file', '--batch'], input: batch.map(({ id }) => `${id}\n`).join('') })).stdout;
    const found = new Map<string, Buffer>();
    let at = 0;
    for (const { name } of batch) {
      const end = answered.indexOf(10, at);
      if (end === -1) break;
      const [, type, size] = answered.toString('latin1', at, end).split(' ');
      at = end + 1;
      // A missing object has a line and nothing behind it.
      if (type !== 'blob') continue;
      found.set(name, answered.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
    return found;
  }
}

interface Attributes {
  readonly filtered: ReadonlySet<string>;
  readonly ident: ReadonlySet<string>;
}

async function attributesOf(look: TreeRequest, names: readonly string[]): Promise<Attributes> {
  const filtered = new Set<string>();
  const ident = new Set<string>();
  if (names.length === 0) return { filtered, ident };
  const asked = await git({ cwd: look.directory, hostEnv: look.hostEnv, args: ['check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding', 'ident'], input: joinNames(names) });
  const fields = splitNames(asked.stdout);
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = '', attribute, value] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') (attribute === 'ident' ? ident : filtered).add(name);
  }
  return { filtered, ident };
}

function idOf(file: SnapshotFile | undefined): string | undefined {
  return file?.content.startsWith('git:') === true ? file.content.slice('git:'.length) : undefined;
}
