import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the fake does instead of answering as it would. */
export type Mischief =
  /** Does what it is asked, then drops the connection. */
  | { readonly kind: 'lose answer' }
  /** Answers so, without doing it. */
  | { readonly kind: 'answer'; readonly answer: FakeAnswer };

/** A local server that stands in for a forge. It is strict: what the real one would not take, or what nobody should send, is a violation. */
export class HttpFake {
  readonly requests: FakeRequest[] = [];
  readonly violations: string[] = [];
  readonly #server: Server;
  readonly #mischief: { readonly creating: boolean; readonly what: Mischief }[] = [];

  private constructor(handle: (request: FakeRequest, fake: HttpFake) => FakeAnswer) {
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const url = new URL(incoming.url ?? '/', 'http://fake');
        const text = Buffer.concat(chunks).toString('utf8');
        const request: FakeRequest = {
          method: incoming.method ?? '', path: url.pathname, query: Object.fromEntries(url.searchParams), headers: incoming.headers,
          body: text === '' ? undefined : JSON.parse(text),
        };
        this.requests.push(request);
        const creating = request.method === 'POST' && !request.path.endsWith('graphql');
        const next = this.#mischief.findIndex((planned) => creating || !planned.creating);
        const [mischief] = next === -1 ? [] : this.#mischief.splice(next, 1);
        const answer = mischief?.what.kind === 'answer' ? mischief.what.answer : handle(request, this);
        if (mischief?.what.kind === 'lose answer') {
          incoming.socket.destroy();
          return;
        }
        outgoing.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', ...answer.headers });
        outgoing.end(answer.body === undefined ? undefined : typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
      });
    });
  }

  static async start(handle: (request: FakeRequest, fake: HttpFake) => FakeAnswer): Promise<HttpFake> {
    const fake = new HttpFake(handle);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The next request meets this; with `creating`, the next one that creates something. */
  next(what: Mischief, { creating = false, times = 1 } = {}): void {
    for (let time = 0; time < times; time += 1) this.#mischief.push({ creating, what });
  }

  violation(text: string): FakeAnswer {
    this.violations.push(text);
    return { status: 418, body: { message: `The fake does not expect this: ${text}` } };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    if (this.violations.length > 0) throw new Error(`The forge was asked in a way it does not know:\n${this.violations.join('\n')}`);
  }
}

/** What is wrong with the members of an object: unknown ones, missing ones, others than the type says. */
export function shapeProblems(value: unknown, required: Readonly<Record<string, string>>, optional: Readonly<Record<string, string>> = {}): readonly string[] {
  if (typeof value !== 'object' || value === null) return ['the body is no object'];
  const members = value as Readonly<Record<string, unknown>>;
  const known = { ...required, ...optional };
  const kind = (member: unknown): string => (Array.isArray(member) ? 'array' : typeof member);
  return [
    ...Object.keys(required).filter((key) => !(key in members)).map((key) => `${key} is missing`),
    ...Object.entries(members).flatMap(([key, member]) => (known[key] === undefined ? [`${key} is not known`] : known[key] === kind(member) ? [] : [`${key} is no ${known[key]}`])),
  ];
}
