import { closeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { openInputFile } from './input-file.js';
import type { ProcessRequest } from './port.js';

/** A reader that is gone is the reader's business. */
const CLOSED_BY_READER = new Set(['ECONNRESET', 'EOF', 'EPIPE', 'ERR_STREAM_DESTROYED']);

/** Standard input of a process: nothing, a whole text, or open for the caller. Never open by accident. */
export class InputPipe {
  /** What `spawn` is given. */
  readonly stdio: number | 'pipe' | 'ignore';
  readonly #text: string | Uint8Array | undefined;
  #target: Writable | undefined;
  #error: string | undefined;
  #fileOpen = true;

  constructor(input: ProcessRequest['input']) {
    this.#text = typeof input === 'string' || input instanceof Uint8Array ? input : undefined;
    if (input === undefined) this.stdio = 'ignore';
    else this.stdio = this.#text === undefined ? 'pipe' : (openInputFile(this.#text) ?? 'pipe');
  }

  /** Why the input could not be written although somebody was there to read it. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The process exists: begins to write into `own`, Node's stream, unless there is a file. */
  attach(own: Writable | null): void {
    this.#closeFile();
    if (own === null) return;
    this.#target = own;
    own.on('error', (error: NodeJS.ErrnoException) => {
      if (!CLOSED_BY_READER.has(error.code ?? '')) this.#error ??= error.message;
    });
    if (this.#text !== undefined) own.end(this.#text);
  }

  write(text: string): void {
    if (this.#target?.writable === true) this.#target.write(text);
  }

  close(): void {
    if (this.#target?.writable === true) this.#target.end();
  }

  /** Gives up what is not written yet. */
  abandon(): void {
    if (this.#target === undefined) this.#closeFile();
    else this.#target.destroy();
  }

  #closeFile(): void {
    if (typeof this.stdio === 'number' && this.#fileOpen) closeSync(this.stdio);
    this.#fileOpen = false;
  }
}
