import { request as octokit } from '@octokit/request';
import type { Connection } from '../http/connect.js';
import type { Answer, Lost, Transport } from '../http/exchange.js';
import { lostConnection } from '../http/lost-connection.js';
import { serverUrl, type Server } from '../remote/server.js';
import { isHostedByGitHub } from './tokens.js';

export interface OctokitOptions {
  readonly server: Server;
  readonly token: string;
  readonly connection: Connection;
  readonly userAgent: string;
}

/** The version of the interface that this is written for. Servers that do not know it yet use the one they have. */
const API_VERSION = '2022-11-28';
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Sends requests with a token. Importing this file loads Octokit. */
export function octokitTransport({ server, token, connection, userAgent }: OctokitOptions): Transport {
  const { rest, graphql } = interfacesOf(server);
  const send = octokit.defaults({
    baseUrl: rest,
    headers: { 'authorization': `token ${token}`, 'user-agent': userAgent, 'accept': 'application/vnd.github+json', 'x-github-api-version': API_VERSION },
    request: { fetch: connection.fetch, log: SILENT },
  });
  return async ({ method, path, body }, signal) => {
    try {
      const { status, headers, data } = await send({ method, url: path === 'graphql' ? graphql : path, request: { fetch: connection.fetch, log: SILENT, signal }, ...(body === undefined ? {} : { data: body }) });
      return answer(status, headers, data);
    } catch (error) {
      return failed(error);
    }
  };
}

/** Where the two interfaces of a server are. */
export function interfacesOf(server: Server): { readonly rest: string; readonly graphql: string } {
  if (!isHostedByGitHub(server)) return { rest: `${serverUrl(server)}/api/v3`, graphql: `${serverUrl(server)}/api/graphql` };
  const rest = serverUrl({ scheme: 'https', host: `api.${server.host}`, root: '' });
  return { rest, graphql: `${rest}/graphql` };
}

/** Octokit throws for statuses above 399 as it does for connections that fail. */
function failed(error: unknown): Answer | Lost {
  const response = error instanceof Error && 'response' in error ? (error.response as Awaited<ReturnType<typeof octokit>> | undefined) : undefined;
  return response === undefined ? lostConnection(error) : answer(response.status, response.headers, response.data);
}

function answer(status: number, headers: Readonly<Record<string, unknown>>, body: unknown): Answer {
  return { kind: 'answer', status, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value === undefined ? undefined : String(value)])), body: body === '' ? undefined : body };
}
