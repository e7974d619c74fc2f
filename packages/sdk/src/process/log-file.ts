import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The log of one output stream. Nothing exists before the first byte; a log that cannot be written costs the log and never the step.
 *
 * Written at once and in place: what a follower reads is what the step said, and a slow disk slows the step down instead of filling the memory.
 */
export class LogFile {
  readonly path: string;
  readonly #limit: number;
  #file: number | undefined;
  #written = 0;
  #exists = false;
  #cut: 'limit' | 'write_failed' | undefined;

  constructor(path: string, limit: number) {
    this.path = path;
    this.#limit = limit;
  }

  get exists(): boolean {
    return this.#exists;
  }

  get cut(): 'limit' | 'write_failed' | undefined {
    return this.#cut;
  }

  write(text: string): void {
    if (this.#cut !== undefined || text === '') return;
    try {
      this.#file ??= this.#open();
      const bytes = Buffer.from(text);
      const room = this.#limit - this.#written;
      if (bytes.length <= room) {
        this.#put(this.#file, bytes);
        return;
      }
      this.#put(this.#file, bytes.subarray(0, wholeCharacters(bytes, room)));
      this.#put(this.#file, Buffer.from(`\n[relayflow: the log is cut here, at its limit of ${this.#limit} bytes; what follows is missing]\n`));
      this.#cut = 'limit';
      this.close();
    } catch {
      this.#cut = 'write_failed';
      this.close();
    }
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    try {
      closeSync(file);
    } catch {
      // A network file system reports a full disk here.
      this.#cut ??= 'write_failed';
    }
  }

  #open(): number {
    let file: number;
    try {
      file = openSync(this.path, 'w', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      file = openSync(this.path, 'w', 0o600);
    }
    this.#exists = true;
    return file;
  }

  #put(file: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    this.#written += bytes.length;
  }
}

function wholeCharacters(bytes: Uint8Array, limit: number): number {
  let length = limit;
  while (length > 0 && ((bytes[length] ?? 0) & 0xc0) === 0x80) length -= 1;
  return length;
}
