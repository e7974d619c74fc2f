import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FileStat } from './content-cache.js';
import { git, nameBytes } from './git.js';

/** Bytes of an entry before its object id: ten numbers. */
const STAT_BYTES = 40;
/** The type bits of a mode: a regular file, not a link, not a submodule. */
const REGULAR_FILE = 0o10;

/** What git's index knows of the files below a directory: the content each had when git last looked, and how to tell that it still has it. */
export class GitIndex {
  readonly #bytes: Buffer;
  /** Where the entry of each name begins. */
  readonly #entries: ReadonlyMap<string, number>;
  readonly #idBytes: number;
  readonly #writtenMs: number;

  private constructor(bytes: Buffer, entries: ReadonlyMap<string, number>, idBytes: number, writtenMs: number) {
    this.#bytes = bytes;
    this.#entries = entries;
    this.#idBytes = idBytes;
    this.#writtenMs = writtenMs;
  }

  /** The index that covers a directory; `undefined` outside a repository, without git, or when it is in a form that this does not read. */
  static async read(request: { readonly directory: string; readonly hostEnv: Readonly<Record<string, string | undefined>> }): Promise<GitIndex | undefined> {
    const { directory, hostEnv } = request;
    const asked = await git({ cwd: directory, hostEnv, args: ['rev-parse', '--show-object-format', '--git-path', 'index', '--show-prefix'] });
    if (asked.exitCode !== 0) return undefined;
    const [format, location = '', prefix = ''] = asked.stdout.toString('latin1').split('\n');
    const file = path.resolve(directory, nameBytes(location).toString('utf8'));
    const idBytes = format === 'sha256' ? 32 : 20;
    try {
      // The time first: a git that writes it in between only makes us trust less.
      const { mtimeMs } = await stat(file);
      const bytes = await readFile(file);
      const entries = parseIndex(bytes, { idBytes, prefix });
      return entries === undefined ? undefined : new GitIndex(bytes, entries, idBytes, mtimeMs);
    } catch {
      // No index yet, or one that is just being replaced: the files are read instead.
      return undefined;
    }
  }

  /** The object id of a file that has not changed since git looked at it; `undefined` when git would have to look again. */
  contentOf(name: string, now: FileStat): string | undefined {
    const at = this.#entries.get(name);
    if (at === undefined) return undefined;
    const bytes = this.#bytes;
    const mtimeMs = timeAt(bytes, at + 8);
    const unchanged =
      bytes.readUInt32BE(at + 36) === now.size % 2 ** 32 && bytes.readUInt32BE(at + 20) === now.ino % 2 ** 32 &&
      sameTime(mtimeMs, now.mtimeMs) && sameTime(timeAt(bytes, at), now.ctimeMs);
    // Written in the same moment as the index, or later: git itself does not trust such an entry either.
    if (!unchanged || mtimeMs + 1 >= this.#writtenMs) return undefined;
    return bytes.toString('hex', at + STAT_BYTES, at + STAT_BYTES + this.#idBytes);
  }
}

/**
 * Reads git's index file, versions 2 to 4: where the entries of regular files at stage 0 below a prefix begin, by name without the prefix.
 * `undefined` for an index that is split over two files.
 */
export function parseIndex(index: Buffer, form: { readonly idBytes: 20 | 32; readonly prefix: string }): Map<string, number> | undefined {
  const { idBytes, prefix } = form;
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const entries = new Map<string, number>();
  let name = '';
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const begin = at;
    const flagsAt = begin + STAT_BYTES + idBytes;
    const flags = index.readUInt16BE(flagsAt);
    const nameAt = flagsAt + ((flags & 0x4000) === 0 ? 2 : 4);
    if (version === 4) {
      const { value, next } = readOffset(index, nameAt);
      const end = index.indexOf(0, next);
      name = name.slice(0, name.length - value) + index.toString('latin1', next, end);
      at = end + 1;
    } else {
      const end = index.indexOf(0, nameAt);
      name = index.toString('latin1', nameAt, end);
      at = begin + ((end - begin + 8) & ~7);
    }
    const stage = (flags >> 12) & 3;
    const type = index.readUInt32BE(begin + 24) >> 12;
    if (stage === 0 && type === REGULAR_FILE && name.startsWith(prefix)) entries.set(name.slice(prefix.length), begin);
  }
  return isSplit(index, at, idBytes) ? undefined : entries;
}

/** Git's variable-length number of version 4: how many bytes of the previous name are dropped. */
function readOffset(index: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = index.readUInt8(at++);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = index.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: at };
}

function isSplit(index: Buffer, from: number, idBytes: number): boolean {
  for (let at = from; at + 8 < index.length - idBytes; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString('latin1', at, at + 4) === 'link') return true;
  }
  return false;
}

function timeAt(index: Buffer, at: number): number {
  return index.readUInt32BE(at) * 1e3 + index.readUInt32BE(at + 4) / 1e6;
}

/** Equal, but for what is lost of the nanoseconds in a floating-point number of milliseconds. */
function sameTime(a: number, b: number): boolean {
  return Math.abs(a - b) < 0.001;
}
