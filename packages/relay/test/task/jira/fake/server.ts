import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JiraCredentials } from '../../../../src/host/credentials.js';
import { FakeApi, refused, WrongCall, type Answered, type Asked } from './api.js';
import { ME, FakeSite } from './site.js';

export const TOKEN = 'ATATT3xFfGF0-secret+token/value=8F2B';

/** What goes wrong with a request. `lost` and `half` are the ones that have an effect. */
export type Trouble =
  | { readonly kind: 'answer'; readonly answer: Answered }
  /** Bytes that are no JSON of Jira: a login page, or far too much. */
  | { readonly kind: 'raw'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string | (() => Iterable<string>) }
  /** The connection ends before anything was done. */
  | { readonly kind: 'cut' }
  /** It is done, and the answer never arrives. */
  | { readonly kind: 'lost' }
  /** It is done, and the answer is another. */
  | { readonly kind: 'done-but'; readonly answer: Answered }
  /** Of a bulk create only the first is made; then it fails. */
  | { readonly kind: 'half' }
  /** Nothing happens until the client gives up. */
  | { readonly kind: 'silence' };

export interface Seen extends Asked {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
}

/** A Jira Cloud site on this machine. */
export class FakeJira {
  readonly site = new FakeSite();
  readonly api = new FakeApi(this.site);
  /** Every request, in the order in which they arrived; `status` is what was answered. */
  readonly seen: Seen[] = [];
  /** Calls that no correct client makes. */
  readonly complaints: string[] = [];
  /** How many requests are under way, and were at most. */
  atOnce = { now: 0, most: 0 };
  /** Held back until it is called. */
  hold: Promise<void> | undefined;
  readonly #troubles: { readonly when: (asked: Asked) => boolean; readonly trouble: Trouble; times: number }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async open(): Promise<FakeJira> {
    const jira = new FakeJira();
    await new Promise<void>((resolve) => {
      jira.#server.listen(0, '127.0.0.1', resolve);
    });
    return jira;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get credentials(): JiraCredentials {
    return new JiraCredentials({ site: this.url, email: ME.email, token: TOKEN });
  }

  trouble(when: string | ((asked: Asked) => boolean), trouble: Trouble, times = 1): void {
    this.#troubles.push({ when: typeof when === 'function' ? when : (asked) => `${asked.method} ${asked.path}`.startsWith(when), trouble, times });
  }

  /** Requests to here, by method and beginning of the path. */
  count(start: string, from = 0): number {
    return this.seen.slice(from).filter(({ method, path }) => `${method} ${path}`.startsWith(start)).length;
  }

  /** Requests that had an effect: everything but reading. */
  get writes(): readonly Seen[] {
    return this.seen.filter(isWrite);
  }

  freezeIndex(): void {
    this.api.search.index = new Map([...this.site.issues].map(([key, issue]) => [key, { ...issue, labels: [...issue.labels] }]));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request) text += String(piece);
    this.atOnce.now += 1;
    this.atOnce.most = Math.max(this.atOnce.most, this.atOnce.now);
    const url = new URL(request.url ?? '/', this.url);
    const asked: Asked = { method: request.method ?? '', path: url.pathname.replace(/^\/rest\/api\/3\//, ''), query: url.searchParams, body: text === '' ? undefined : JSON.parse(text) as unknown };
    const seen: { -readonly [K in keyof Seen]: Seen[K] } = { ...asked, status: undefined, headers: request.headers };
    this.seen.push(seen);
    await this.hold;
    const armed = this.#troubles.find(({ when, times }) => times > 0 && when(asked));
    if (armed !== undefined) armed.times -= 1;
    const answered = this.#answer(request, asked, armed?.trouble);
    this.atOnce.now -= 1;
    if (answered === 'silence') return;
    if (answered === 'cut') {
      request.socket.destroy();
      return;
    }
    seen.status = answered.status;
    if ('raw' in answered) {
      response.writeHead(answered.status, answered.headers);
      if (typeof answered.raw === 'string') response.end(answered.raw);
      else {
        for (const piece of answered.raw()) if (!response.destroyed) response.write(piece);
        response.end();
      }
      return;
    }
    response.writeHead(answered.status, { ...(answered.body === undefined ? {} : { 'content-type': 'application/json;charset=UTF-8' }), ...answered.headers });
    response.end(answered.body === undefined ? undefined : JSON.stringify(answered.body));
  }

  #answer(request: IncomingMessage, asked: Asked, trouble: Trouble | undefined): Answered | 'cut' | 'silence' | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly raw: string | (() => Iterable<string>) } {
    if (trouble?.kind === 'answer') return trouble.answer;
    if (trouble?.kind === 'cut' || trouble?.kind === 'silence') return trouble.kind;
    if (trouble?.kind === 'raw') return { status: trouble.status, headers: trouble.headers, raw: trouble.body };
    if (trouble?.kind === 'half') {
      const { issueUpdates } = asked.body as { readonly issueUpdates: readonly unknown[] };
      this.#do(request, { ...asked, body: { issueUpdates: issueUpdates.slice(0, 1) } });
      return refused(500, 'Internal server error');
    }
    const answered = this.#do(request, asked);
    if (trouble?.kind === 'lost') return 'cut';
    return trouble?.kind === 'done-but' ? trouble.answer : answered;
  }

  #do(request: IncomingMessage, asked: Asked): Answered {
    try {
      const { authorization, accept, 'content-type': type } = request.headers;
      if (authorization !== `Basic ${Buffer.from(`${ME.email}:${TOKEN}`).toString('base64')}`) return refused(401, 'Client must be authenticated to access this resource.');
      if (!(request.url ?? '').startsWith('/rest/api/3/')) throw new WrongCall(`nothing is at ${request.url ?? ''}`);
      if (accept !== 'application/json') throw new WrongCall('without Accept: application/json');
      if (asked.body !== undefined && type !== 'application/json') throw new WrongCall('a body without Content-Type: application/json');
      return this.api.answer(asked);
    } catch (error) {
      if (!(error instanceof WrongCall)) throw error;
      this.complaints.push(`${asked.method} ${asked.path}: ${error.message}`);
      return refused(400, `The fake takes no such call: ${error.message}`);
    }
  }
}

export function isWrite({ method, path }: Asked): boolean {
  return method !== 'GET' && path !== 'search/jql';
}
