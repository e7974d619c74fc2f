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
      return answered(await send({ method, url: path === 'graphql' ? graphql : path, request: { fetch: connection.fetch, log: SILENT, signal }, ...(body === undefined ? {} : { data: body }) }));
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
  const response = error instanceof Error && 'response' in error ? (error.response as OctokitAnswer | undefined) : undefined;
  return response === undefined ? lostConnection(error) : answered(response);
}

interface OctokitAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

function answered({ status, headers, data }: OctokitAnswer): Answer {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value === undefined ? undefined : String(value)] as const);
  return { kind: 'answer', status, headers: Object.fromEntries(named), body: data === '' ? undefined : data };
}
