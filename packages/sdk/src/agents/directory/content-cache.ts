import { createHash, hash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readFileSync, type PathLike } from 'node:fs';
import { open } from 'node:fs/promises';

/** A file as `lstat` sees it. Two equal ones that are not recent have the same content: the change time cannot be set back. */
export interface FileStat {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** Type and permission bits. */
  readonly mode: number;
}

const CAPACITY = 50_000;
const READ_AT_ONCE = 256 * 1024;
const CHUNK = 1024 * 1024;

/** Contents that were hashed before, so that the files one agent leaves need not be read again for the next. */
export class ContentCache {
  readonly #known = new Map<string, string>();

  /** `sha256:<hex>` of a file's content; `undefined` when it is gone or no regular file any more. Other file system errors are thrown. */
  async sha256(file: PathLike, stat: FileStat, recent: boolean): Promise<string | undefined> {
    const key = `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
    const known = recent ? undefined : this.#known.get(key);
    if (known !== undefined) return known;
    const digest = await hashFile(file, stat.size, 'sha256', '');
    if (digest === undefined) return undefined;
    const content = `sha256:${digest}`;
    if (!recent) this.#remember(key, content);
    return content;
  }

  #remember(key: string, content: string): void {
    if (this.#known.size >= CAPACITY) {
      const oldest = this.#known.keys().next().value;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(key, content);
  }
}

/** The object id git gives to a file's bytes as they are; `undefined` when it is gone. */
export async function blobId(file: PathLike, size: number, length: number): Promise<string | undefined> {
  return await hashFile(file, size, length === 64 ? 'sha256' : 'sha1', `blob ${size}\0`);
}

async function hashFile(file: PathLike, size: number, algorithm: 'sha1' | 'sha256', prefix: string): Promise<string | undefined> {
  // Not following a link, and not waiting for a pipe that took the file's place.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    if (size <= READ_AT_ONCE) {
      const descriptor = openSync(file, flags);
      try {
        const bytes = readFileSync(descriptor);
        return hash(algorithm, prefix === '' ? bytes : Buffer.concat([Buffer.from(prefix), bytes]), 'hex');
      } finally {
        closeSync(descriptor);
      }
    }
    const handle = await open(file, flags);
    try {
      const digest = createHash(algorithm).update(prefix);
      const chunk = Buffer.allocUnsafe(CHUNK);
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, CHUNK, null);
        if (bytesRead === 0) return digest.digest('hex');
        digest.update(chunk.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Whether an error of the file system means that the file vanished, or that something else took its place. */
export function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR';
}

/** `lstat` of a regular file; `undefined` when there is none of that name any more. */
export function statOf(file: PathLike): FileStat | undefined {
  try {
    const stats = lstatSync(file);
    if (!stats.isFile()) return undefined;
    const { size, mtimeMs, ctimeMs, ino, mode } = stats;
    return { size, mtimeMs, ctimeMs, ino, mode };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
