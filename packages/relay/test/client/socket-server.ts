import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { isRelayError, RelayError } from '../../src/errors/relay-error.js';
import { matchCall, type MatchedCall } from '../../src/server/address.js';
import { toWire } from '../../src/server/wire-error.js';

export interface Received extends MatchedCall {
  readonly body: string;
  readonly type: string | undefined;
}

/** A server on a socket that answers what a test says, with the addresses and envelopes of the real one. Calls that arrived are kept. */
export async function socketServer(socket: string, answer: (call: Received) => unknown): Promise<{ readonly calls: readonly Received[]; readonly close: () => Promise<void>; readonly address: () => AddressInfo | string | null }> {
  const calls: Received[] = [];
  const server = createServer((request, response) => {
    void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request.setEncoding('utf8') as AsyncIterable<string>) body += piece;
    try {
      const call = { ...matchCall(request.method ?? '', request.url ?? ''), body, type: request.headers['content-type'] };
      calls.push(call);
      const data = await answer(call);
      if (typeof data === 'string' && data.startsWith('RAW ')) response.end(data.slice(4));
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, data }));
    } catch (error) {
      const { status, body: refusal } = toWire(isRelayError(error) ? error : new RelayError('internal_error', String(error)));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
    }
  }
  await new Promise<void>((resolve) => {
    server.listen(socket, resolve);
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { calls, close, address: () => server.address() };
}
