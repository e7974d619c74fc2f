import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { notPlain } from './failure.js';
import { RelayError } from '../../../errors/relay-error.js';

/** Far beyond any ticket; a file of this size in the folder is a mistake that must not fill the memory of the server. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface Stamp {
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
  readonly ino: bigint;
}

export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino;
}

export interface OpenFile {
  readonly handle: FileHandle;
  readonly bytes: Buffer;
  readonly stamp: Stamp;
  readonly mode: number;
}

/** Opens a plain file and reads it. Follows no symbolic link and waits for no pipe. The caller closes the handle. */
export async function openPlain(path: string, what: string): Promise<OpenFile> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mtimeNs, ctimeNs, size, ino, mode } = await handle.stat({ bigint: true });
    if ((Number(mode) & constants.S_IFMT) !== constants.S_IFREG) throw notPlain(what);
    if (size > MAX_BYTES) throw new RelayError('task_conflict', `${what} is larger than 16 MiB.`, { hint: 'Move what is not a part of the ticket to another place.', evidence: { file: what, size: Number(size) } });
    return { handle, bytes: await readAgain(handle, Number(size)), stamp: { mtimeNs, ctimeNs, size, ino }, mode: Number(mode) & 0o7777 };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** All of an open file, from its beginning, whatever was read before. `expected` bytes, most likely. */
export async function readAgain(handle: FileHandle, expected: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // One byte more: what comes back short is all there is.
  let length = expected + 1;
  for (let position = 0; position <= MAX_BYTES; length = 64 * 1024) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(length), position, length });
    chunks.push(buffer.subarray(0, bytesRead));
    position += bytesRead;
    if (bytesRead < length) break;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

export async function readPlain(path: string, what: string): Promise<Omit<OpenFile, 'handle'>> {
  const { handle, ...file } = await openPlain(path, what);
  await handle.close();
  return file;
}
