import { appendFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonRecord } from '../json.js';
import type { ApiName } from '../scenario/scenario.js';

interface Arrival {
  readonly type: 'request';
  /** Counts all requests, from 1. */
  readonly n: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request for an answer. */
export interface StubRequest extends Arrival {
  readonly kind: 'gen';
  readonly api: ApiName;
  /** Index of the turn that answers it; -1 when none fitted. */
  readonly turn: number;
  /** It offered no tools. */
  readonly side: boolean;
  readonly model: string;
  readonly stream: boolean;
  /** The last prompt, byte for byte as the CLI sent it; where it is several messages in a row, with a line break between them. */
  readonly user: string;
  readonly system: string;
  /** Names of the tools that the CLI offered. */
  readonly tools: readonly string[];
  /** Results of the tools that the last answer asked for. */
  readonly tool_results: readonly string[];
  readonly body: JsonRecord;
}

/** A request for something else. */
export interface OtherRequest extends Arrival {
  readonly kind: 'count' | 'models' | 'none' | 'gen';
  readonly api: ApiName | null;
  readonly turn?: never;
  /** `null` when it was not JSON. */
  readonly body: unknown;
}

/** How an answer went. */
export interface StubResponse {
  readonly type: 'response';
  /** The request's. */
  readonly n: number;
  readonly turn: number;
  /** 0 when nothing was sent. */
  readonly status: number;
  readonly outcome: 'done' | 'error' | 'dropped' | 'silent' | 'client-closed';
  readonly ms: number;
}

/** A turn that could not be played: the scenario asks for what the CLI does not offer. */
export interface StubFault {
  readonly type: 'stub-error';
  readonly path: string;
  readonly message: string;
}

export type LogEntry = StubRequest | OtherRequest | StubResponse | StubFault;

/** What happened so far, in order; also as lines of JSON in a file when one is named. */
export class RequestLog {
  readonly entries: LogEntry[] = [];
  readonly #file: string | undefined;
  readonly #listeners = new Set<(entry: LogEntry) => void>();

  constructor(file?: string) {
    this.#file = file;
    if (file !== undefined) appendFileSync(file, '');
  }

  add(entry: LogEntry): void {
    this.entries.push(entry);
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
    for (const listener of this.#listeners) listener(entry);
  }

  /** Calls `listener` with each entry that is added from now on, until the function that comes back is called. */
  listen(listener: (entry: LogEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export function isStubRequest(entry: LogEntry): entry is StubRequest {
  return entry.type === 'request' && entry.turn !== undefined;
}
