import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamEvent } from '../apis/api.js';

/** One HTTP answer on its way. Nothing it does fails because the client went away. */
export class Reply {
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('error', () => {});
    response.on('close', () => this.#gone.abort());
  }

  /** Aborted when the connection is closed, by whom ever. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  async wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.gone }).catch(() => {});
  }

  json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.text(status, 'application/json', JSON.stringify(body), headers);
  }

  text(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(status, { 'content-type': type, ...headers });
    this.#response.end(body);
  }

  /** Sends events as fast as the client takes them, and leaves the stream open. */
  async stream(events: readonly StreamEvent[]): Promise<void> {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const { name, data } of events) {
      if (this.gone.aborted) return;
      const taken = this.#response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
      if (!taken) await once(this.#response, 'drain', { signal: this.gone }).catch(() => {});
    }
  }

  end(): void {
    this.#response.end();
  }

  /** Closes the connection without an end. What was sent before still arrives. */
  async drop(): Promise<void> {
    if (this.#response.headersSent) await this.wait(50);
    this.#response.destroy();
  }

  /** Answers a fault of the stub itself. */
  fault(message: string): void {
    if (this.#response.headersSent) this.#response.destroy();
    else this.json(500, { error: { type: 'stub_error', message } });
  }
}
