import { request, type IncomingMessage } from 'node:http';
import { RelayError } from '../errors/relay-error.js';
import { addressOf } from '../server/address.js';
import { ENDPOINTS, type AnswerOf, type BodyOf, type EndpointName, type ParamsOf, type QueryOf } from '../server/api.js';
import { fromWire, type WireAnswer } from '../server/wire-error.js';

/** What a call is given besides its name; what it does not take is left away. */
export interface CallRequest<Name extends EndpointName> {
  readonly params?: ParamsOf<Name>;
  readonly query?: QueryOf<Name>;
  readonly body?: BodyOf<Name>;
  /** Milliseconds until the call is given up. Default: 30,000; two minutes for what asks other systems. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Speaks to the server of a home. Makes a connection for every call and holds none. */
export interface RelayClient {
  /** Throws what the server refuses, and `server_unreachable`. */
  call<Name extends EndpointName>(name: Name, given: CallRequest<Name> & Needed<Name>): Promise<AnswerOf<Name>>;
  /** The same with bytes that are a body already: what is sent again must be the same to the byte. */
  send<Name extends EndpointName>(name: Name, body: string, options?: CallOptions): Promise<AnswerOf<Name>>;
}

/** Parameters of the address, and a body whose members are not all optional, cannot be left away. */
type Needed<Name extends EndpointName> = (Record<never, never> extends ParamsOf<Name> ? unknown : { readonly params: ParamsOf<Name> }) & (undefined extends BodyOf<Name> ? unknown : { readonly body: BodyOf<Name> });

interface CallOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const LARGEST_ANSWER = 64 * 1024 * 1024;
/** They ask task systems, runners and harnesses before they answer. */
const SLOW: ReadonlySet<EndpointName> = new Set(['submitWorkflow', 'removeWorkflow', 'registerRepo', 'removeRepo', 'discoverRepos', 'ensureRepo', 'firstTaskFields', 'nextTaskFields', 'cancelRun', 'restartRun']);
const SLOW_TIMEOUT_MS = 120_000;

export function createClient(socketPath: string): RelayClient {
  const send = async <Name extends EndpointName>(name: Name, address: string, body: string | undefined, { timeoutMs = SLOW.has(name) ? SLOW_TIMEOUT_MS : DEFAULT_TIMEOUT_MS, signal }: CallOptions): Promise<AnswerOf<Name>> => {
    const text = await exchange({ socketPath, method: ENDPOINTS[name].method, address, body, timeoutMs, signal, type: name === 'submitWorkflow' ? 'application/yaml' : 'application/json' });
    const answer = readAnswer<AnswerOf<Name>>(text);
    if (!answer.ok) throw fromWire(answer.error);
    return answer.data;
  };
  return {
    call: (name, { params, query, body, ...options }) =>
      send(name, addressOf(name, { ...params }, { ...query }), body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body), options),
    send: (name, body, options = {}) => send(name, addressOf(name, {}, {}), body, options),
  };
}

interface Exchange {
  readonly socketPath: string;
  readonly method: string;
  readonly address: string;
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly type: string;
}

function exchange({ socketPath, method, address, body, timeoutMs, signal, type }: Exchange): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const deadline = AbortSignal.timeout(timeoutMs);
    const sent = request({ socketPath, method, path: address, headers, agent: false, signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]) }, (response) => {
      read(response).then(resolve, (cause: unknown) => reject(failure(cause)));
    });
    const failure = (cause: unknown): RelayError => (cause instanceof RelayError ? cause : unreachable(socketPath, deadline.aborted ? timeoutMs : undefined, cause));
    sent.on('error', (cause) => reject(signal?.aborted === true && signal.reason instanceof Error ? signal.reason : failure(cause)));
    sent.end(body);
  });
}

async function read(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LARGEST_ANSWER) throw notAnAnswer(`it has more than ${LARGEST_ANSWER} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function readAnswer<Data>(text: string): WireAnswer<Data> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw notAnAnswer('it is not JSON');
  }
  if (typeof answer !== 'object' || answer === null) throw notAnAnswer('it is no object');
  const { ok, error } = answer as { readonly ok?: unknown; readonly error?: unknown };
  if (ok === true && 'data' in answer) return answer as WireAnswer<Data>;
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as { readonly code?: unknown; readonly message?: unknown };
  if (ok === false && typeof code === 'string' && typeof message === 'string') return answer as WireAnswer<Data>;
  throw notAnAnswer('it has neither data nor an error');
}

function notAnAnswer(why: string): RelayError {
  return new RelayError('internal_error', `What came through the socket is no answer of a relay-flow server: ${why}.`, { hint: 'Stop the server with `relay-flow stop` and start it again: the command and the server must be of one version.' });
}

/** What the system says when nobody listens. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR']);

function unreachable(socketPath: string, waitedMs: number | undefined, cause: unknown): RelayError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  const evidence = { path: socketPath, errno: code };
  if (waitedMs !== undefined) {
    return new RelayError('server_unreachable', `The server did not answer within ${Math.round(waitedMs / 100) / 10} seconds.`, { hint: 'Look into server.log in its home, and try again.', evidence: { path: socketPath, waitedMs }, cause });
  }
  if (code === 'EACCES' || code === 'EPERM') return new RelayError('server_unreachable', 'The socket of the server belongs to another user.', { hint: 'Set RELAY_FLOW_HOME to a home of yours.', evidence, cause });
  if (NOBODY.has(code)) return new RelayError('server_unreachable', 'The server is not running.', { hint: 'Start it with `relay-flow serve`, or with `relay-flow serve --background` to go on in this terminal.', evidence, cause });
  return new RelayError('server_unreachable', `The connection to the server broke (${code}).`, { hint: 'Try again; if it was stopped, start it with `relay-flow serve --background`.', evidence, cause });
}
