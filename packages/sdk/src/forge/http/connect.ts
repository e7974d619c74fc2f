import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import { firstVariable, type Environment } from '../environment.js';

/** A `fetch`, and what to do when it reaches nothing. */
export interface Connection {
  readonly fetch: typeof globalThis.fetch;
  readonly unreachableHint: string;
}

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Node's own `fetch` knows nothing of proxies before Node 24, and there only when it is told. What does is loaded where one is set. */
export function connect(env: Environment): Connection {
  const proxy = firstVariable(env, PROXY_VARIABLES);
  if (proxy === undefined) return { fetch: globalThis.fetch, unreachableHint: 'Check the network. Behind a proxy, name it in HTTPS_PROXY.' };
  const { EnvHttpProxyAgent, fetch } = createRequire(import.meta.url)('undici') as typeof Undici;
  const value = (...names: readonly string[]) => firstVariable(env, names)?.value;
  const [http, https, none] = [value('http_proxy', 'HTTP_PROXY'), value('https_proxy', 'HTTPS_PROXY'), value('no_proxy', 'NO_PROXY')];
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: http ?? '', httpsProxy: https ?? http ?? '', noProxy: none ?? '' });
  const through = async (input: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]) => await fetch(input, { ...init, dispatcher });
  return {
    fetch: through as unknown as typeof globalThis.fetch,
    unreachableHint: `Check the network and the proxy that ${proxy.name} names (${hostOf(proxy.value)}); hosts that need none are listed in NO_PROXY.`,
  };
}

/** Without the name and the password that may stand in front. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : 'which is no URL';
}
