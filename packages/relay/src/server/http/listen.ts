import { isFlowsError } from '@relayflows/sdk';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isRelayError, RelayError } from '../../errors/relay-error.js';
import { textOf } from '../../errors/text-of.js';
import { errorFields, type ServerLog } from '../../host/server-log.js';
import { matchCall } from '../address.js';
import type { EndpointName, Handlers } from '../api.js';
import { toWire } from '../wire-error.js';

/** A workflow is at most 1 MiB; a report is shorter. */
const LARGEST_BODY = 4 * 1024 * 1024;

export interface Listening {
  /** Takes no further requests; those under way get so many milliseconds. */
  close(graceMs: number): Promise<void>;
}

/**
 * Answers on a unix socket that only its owner can use: the mode of the file is the access control. A stale socket is removed, so the caller must hold the lock of
 * the home.
 */
export async function listen(args: { readonly socket: string; readonly handlers: Handlers; readonly log: ServerLog }): Promise<Listening> {
  const { socket, log } = args;
  rmSync(socket, { force: true });
  const server = createServer((request, response) => void answer(args.handlers, request, response, log));
  // Followers of a log wait long; nobody else can connect.
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 1_000;
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The socket is made within the call. Whatever else this process makes meanwhile keeps the modes that it asks for.
    const before = process.umask(0o177);
    try {
      server.listen(socket, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
  try {
    await listening;
  } catch (cause) {
    throw new RelayError('home_unusable', `The socket ${socket} cannot be made: ${(cause as NodeJS.ErrnoException).code ?? String(cause)}.`, { hint: 'Set RELAY_FLOW_HOME to a folder on a local file system.', cause });
  }
  chmodSync(socket, 0o600);
  return { close: (graceMs) => close(server, graceMs) };
}

async function close(server: Server, graceMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function answer(handlers: Handlers, request: IncomingMessage, response: ServerResponse, log: ServerLog): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let name: EndpointName | undefined;
  try {
    const call = matchCall(request.method ?? 'GET', request.url ?? '/');
    name = call.name;
    const body = await bodyOf(request, name);
    const handler = handlers[name] as (given: { readonly params: unknown; readonly query: Readonly<Record<string, string>>; readonly body: unknown; readonly signal: AbortSignal }) => Promise<unknown>;
    send(response, 200, { ok: true, data: await handler({ params: call.params, query: call.query, body, signal: gone.signal }) });
  } catch (error) {
    // The engine knows what to do, such as to make room on the disk.
    const hint = (isFlowsError(error) ? error.hint : undefined) ?? 'Look into server.log.';
    const refusal = isRelayError(error) ? error : new RelayError('internal_error', textOf(error), { hint, cause: error });
    if (refusal.code === 'internal_error') log.error('a request failed', { ...(name === undefined ? {} : { call: name }), ...errorFields(error) });
    const { status, body } = toWire(refusal);
    send(response, status, body);
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}

async function bodyOf(request: IncomingMessage, name: EndpointName): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    // A report that is too long stays too long: its agent must write another.
    if (size > LARGEST_BODY) throw new RelayError(name === 'deliverReport' ? 'report_invalid' : 'request_invalid', `The ${name === 'deliverReport' ? 'report' : 'request'} has more than ${LARGEST_BODY} bytes.`);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  // The exact bytes are what is stored.
  if (name === 'submitWorkflow') return bytes;
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (cause) {
    throw new RelayError('request_invalid', 'The body of the request is not JSON.', { cause });
  }
}
