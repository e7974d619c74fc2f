import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A text as a file without a name, positioned at its beginning, for the standard input of a process. `undefined` where it cannot be written.
 *
 * Against a pipe it has no writer that could wait, fail or be forgotten, however large it is and however little of it is read, and
 * `cat /dev/stdin` works, which it does not under the socket pairs of Node.
 */
export function openInputFile(input: string | Uint8Array): number | undefined {
  const path = join(tmpdir(), `relayflow-input-${randomUUID()}`);
  let writer: number | undefined;
  let reader: number | undefined;
  try {
    writer = openSync(path, 'wx', 0o600);
    reader = openSync(path, 'r');
    unlinkSync(path);
    const bytes = typeof input === 'string' ? Buffer.from(input) : input;
    for (let done = 0; done < bytes.length;) done += writeSync(writer, bytes, done);
    return reader;
  } catch {
    if (reader !== undefined) closeSync(reader);
    return undefined;
  } finally {
    if (writer !== undefined) closeSync(writer);
  }
}
