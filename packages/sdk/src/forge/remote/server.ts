import type { Remote } from './parse-remote.js';

/** Where a forge answers to the web. */
export interface Server {
  readonly scheme: 'https' | 'http';
  /** Lower case. */
  readonly host: string;
  readonly port?: number;
  /** The path it lives below, `/gitlab`; empty for the whole host. */
  readonly root: string;
}

type Hosted = Extract<Remote, { kind: 'hosted' }>;

/** The server of a remote. A remote of ssh says nothing about the web besides the host. */
export function webServer({ scheme, host, port }: Hosted): Server {
  if (scheme === 'https' || scheme === 'http') return { scheme, host, root: '', ...(port === undefined ? {} : { port }) };
  return { scheme: 'https', host, root: '' };
}

/** The server that a variable names (`host`, `host:port` or a URL), if it is the one of the remote. */
export function serverNamed(value: string | undefined, remote: Hosted): Server | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const text = value.trim();
  const complete = /^[a-z]+:\/\//i.test(text);
  const own = webServer(remote);
  if (!URL.canParse(complete ? text : `${own.scheme}://${text}`)) return undefined;
  const url = new URL(complete ? text : `${own.scheme}://${text}`);
  if (url.hostname.replace(/^\[|\]$/g, '').toLowerCase() !== remote.host || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  const overWeb = remote.scheme === 'https' || remote.scheme === 'http';
  const given = url.port === '' ? undefined : Number(url.port);
  // Two servers of one host are told apart by their ports, unless the remote speaks of another protocol's.
  if (overWeb && (complete || given !== undefined) && given !== remote.port) return undefined;
  const port = given ?? own.port;
  return {
    scheme: complete ? (url.protocol === 'http:' ? 'http' : 'https') : own.scheme,
    host: remote.host,
    root: url.pathname.replace(/\/+$/, ''),
    ...(port === undefined ? {} : { port }),
  };
}

/** `https://host:8443/root`. */
export function serverUrl({ scheme, host, port, root }: Server): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}${root}`;
}
