import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import type { JsonValue } from '../ports/json.js';
import type { Redactor } from '../ports/redactor.js';
import type { AgentEvent } from '../run/events.js';

/** How large a transcript may become; what comes later is left out, and a last line says so. */
const LARGEST_TRANSCRIPT = 16 * 1024 * 1024;
/** A single text in it. */
const LONGEST_TEXT = 64 * 1024;

export interface TranscriptOptions {
  /** Absolute path. */
  readonly file: string;
  readonly redact: Redactor;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What an agent step writes its transcript through. */
export type TranscriptFile = Pick<Transcript, 'file' | 'add' | 'addTask' | 'end'>;

/** Writes what an agent did as lines of JSON, redacted first and then bounded. The file appears with its first line. A disk that is full ends it. */
export class Transcript {
  readonly #options: TranscriptOptions;
  #stream: WriteStream | undefined;
  #written = 0;
  #broken = false;

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  get file(): string {
    return this.#options.file;
  }

  /** Takes an event that is redacted already. */
  add(event: AgentEvent): void {
    this.#line(event);
  }

  /** What the agent was asked. */
  addTask(task: string): void {
    this.#line({ type: 'task', text: this.#options.redact.text(task) });
  }

  async end(): Promise<void> {
    if (this.#stream === undefined) return;
    this.#stream.end();
    await finished(this.#stream).catch(() => undefined);
  }

  #line(value: JsonValue): void {
    if (this.#broken || this.#written > LARGEST_TRANSCRIPT) return;
    const line = `${JSON.stringify({ at: this.#options.now(), ...(shorten(value) as object) })}\n`;
    this.#written += Buffer.byteLength(line);
    const fits = this.#written <= LARGEST_TRANSCRIPT;
    this.#open().write(fits ? line : `${JSON.stringify({ at: this.#options.now(), type: 'cut', limit: LARGEST_TRANSCRIPT })}\n`);
  }

  #open(): WriteStream {
    if (this.#stream !== undefined) return this.#stream;
    try {
      mkdirSync(path.dirname(this.#options.file), { recursive: true });
    } catch {
      // Opening the file fails next and says the same.
    }
    this.#stream = createWriteStream(this.#options.file, { flags: 'a' });
    this.#stream.on('error', () => {
      this.#broken = true;
    });
    return this.#stream;
  }
}

function shorten(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shorten);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, member === undefined ? undefined : shorten(member)]));
}

const TAIL_BYTES = 64 * 1024;
const TAIL_CHARACTERS = 8_000;

/** The end of a transcript as text that another agent can read; empty when there is none. */
export async function transcriptTail(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    const text = lines.slice(start === 0 ? 0 : 1).flatMap(readable).join('\n');
    return text.length > TAIL_CHARACTERS ? `…${text.slice(-TAIL_CHARACTERS)}` : text;
  } finally {
    await handle.close();
  }
}

function readable(line: string): string[] {
  let event: AgentEvent;
  try {
    event = JSON.parse(line) as AgentEvent;
  } catch {
    // The last line of a process that was killed while it wrote.
    return [];
  }
  switch (event.type) {
    case 'message':
      return [`agent: ${event.text}`];
    case 'tool':
      return event.phase === 'start' ? [`tool ${event.name}: ${event.summary}`] : [];
    case 'file_change':
      return [`${event.change} ${event.path}`];
    default:
      return [];
  }
}
