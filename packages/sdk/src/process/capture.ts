import { LineSplitter } from './line-splitter.js';
import { LogFile } from './log-file.js';
import { Tail } from './tail.js';
import { Utf8Decoder } from './utf8.js';
import type { CapturedStream, StreamRequest } from './port.js';

const RETAIN_BYTES = 1024 * 1024;
const LOG_BYTES = 64 * 1024 * 1024;

const NOTHING: CapturedStream = Object.freeze({ text: '', dropped: 0 });

/** What becomes of one output stream: bytes → text → lines for a protocol → redaction → log, end of the text, live view. */
export class StreamCapture {
  readonly #request: StreamRequest;
  #flow: Flow | undefined;

  constructor(request: StreamRequest = {}) {
    this.#request = request;
  }

  /** The bytes are read before the call returns. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#flow ??= new Flow(this.#request);
    this.#flow.push(bytes);
  }

  end(): CapturedStream {
    return this.#flow?.end() ?? NOTHING;
  }
}

/** Made on the first byte: most streams of most steps never have one. */
class Flow {
  readonly #request: StreamRequest;
  readonly #decoder = new Utf8Decoder();
  readonly #tail: Tail;
  readonly #lines: LineSplitter | undefined;
  readonly #log: LogFile | undefined;

  constructor(request: StreamRequest) {
    this.#request = request;
    this.#tail = new Tail(request.retainBytes ?? RETAIN_BYTES);
    this.#lines = request.onRawLine === undefined ? undefined : new LineSplitter(request.onRawLine);
    this.#log = request.logPath === undefined ? undefined : new LogFile(request.logPath, request.logBytes ?? LOG_BYTES);
  }

  push(bytes: Uint8Array): void {
    this.#decoded(this.#decoder.push(bytes));
  }

  end(): CapturedStream {
    this.#decoded(this.#decoder.end());
    this.#lines?.end();
    if (this.#request.redaction !== undefined) this.#keep(this.#request.redaction.end());
    this.#log?.close();
    return {
      ...this.#tail.end(),
      ...(this.#log?.exists === true ? { logPath: this.#log.path } : {}),
      ...(this.#log?.cut === undefined ? {} : { logCut: this.#log.cut }),
    };
  }

  #decoded(text: string): void {
    if (text === '') return;
    this.#lines?.push(text);
    this.#keep(this.#request.redaction === undefined ? text : this.#request.redaction.push(text));
  }

  #keep(text: string): void {
    if (text === '') return;
    this.#log?.write(text);
    this.#tail.push(text);
    this.#request.onText?.(text);
  }
}
