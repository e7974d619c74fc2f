import { closeSync } from 'node:fs';
import { Socket, type ConnectOpts, type SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';
import { StreamCapture } from './capture.js';
import { givePipeBack, openPipe, type Pipe } from './pipes.js';
import type { CapturedStream, StreamRequest } from './port.js';

/** Every read of every process lands here and is decoded before the next one. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** One output stream of a process, from its pipe to what is kept of it. Reading is in step with keeping, so a child that writes without end waits. */
export class OutputPipe {
  readonly #capture: StreamCapture;
  readonly #onEnd: () => void;
  readonly #pipe: Pipe | undefined;
  #source: Readable | undefined;
  #ended = false;

  /** Throws what the system says when it has no more file numbers. */
  constructor(request: StreamRequest | undefined, onEnd: () => void) {
    this.#capture = new StreamCapture(request);
    this.#onEnd = onEnd;
    this.#pipe = openPipe();
  }

  /** What `spawn` is given. */
  get stdio(): number | 'pipe' {
    return this.#pipe?.writer ?? 'pipe';
  }

  /** Nothing more will come, or nobody waits for it any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The process exists: begins to read. `own` is Node's stream where `stdio` was `pipe`. */
  attach(own: Readable | null): void {
    const source = this.#pipe === undefined ? own : this.#read(this.#pipe);
    if (source === null) return this.#end(false);
    this.#source = source;
    source.on('end', () => this.#end(true));
    source.on('error', () => this.#end(false));
    if (this.#pipe === undefined) source.on('data', (chunk: Buffer) => this.#capture.push(chunk));
    else source.resume();
  }

  /** Stops reading: what is left holding the other end is not waited for. */
  abandon(): void {
    if (!this.#ended) this.#end(false);
  }

  result(): CapturedStream {
    return this.#capture.end();
  }

  #read(pipe: Pipe): Socket {
    closeSync(pipe.writer);
    // The constructor takes `onread` like `connect` does; the types of Node 20 do not say so.
    const options: SocketConstructorOpts & ConnectOpts = {
      fd: pipe.reader,
      readable: true,
      writable: false,
      onread: {
        buffer: shared,
        callback: (length) => {
          this.#capture.push(shared.subarray(0, length));
          return true;
        },
      },
    };
    return new Socket(options);
  }

  #end(drained: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!drained) this.#source?.destroy();
    if (this.#pipe !== undefined) {
      // Without a source there was no process: nobody else ever had the pipe.
      if (this.#source === undefined) [this.#pipe.writer, this.#pipe.reader].forEach(closeSync);
      givePipeBack(this.#pipe.holder, drained || this.#source === undefined);
    }
    this.#onEnd();
  }
}
