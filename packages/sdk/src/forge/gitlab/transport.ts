import type { Connection } from '../http/connect.js';
import type { Transport } from '../http/exchange.js';
import { lostConnection } from '../http/lost-connection.js';
import { serverUrl, type Server } from '../remote/server.js';
import type { GitLabToken } from './tokens.js';

export interface GitLabTransportOptions {
  readonly server: Server;
  readonly token: GitLabToken;
  readonly connection: Connection;
  readonly userAgent: string;
}

/** Sends requests to the REST interface, version 4. */
export function gitLabTransport({ server, token, connection, userAgent }: GitLabTransportOptions): Transport {
  const credentials = token.kind === 'job' ? { 'job-token': token.value } : { authorization: `Bearer ${token.value}` };
  return async ({ method, path, body }, signal) => {
    try {
      const response = await connection.fetch(`${serverUrl(server)}/api/v4${path}`, {
        method,
        headers: { ...credentials, 'accept': 'application/json', 'user-agent': userAgent, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        // Another host is no place for the token, and this one answers where it is asked.
        redirect: 'manual',
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { kind: 'answer', status: response.status, headers: Object.fromEntries(response.headers), body: parsed(text) };
    } catch (error) {
      return lostConnection(error);
    }
  };
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
