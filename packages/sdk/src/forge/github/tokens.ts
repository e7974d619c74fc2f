import { firstVariable, type Environment } from '../environment.js';
import { serverNamed, type Server } from '../remote/server.js';

export interface Token {
  readonly value: string;
  /** What it comes from, for messages: `GH_TOKEN`, `gh auth token`. */
  readonly from: string;
}

/** Whether a server is GitHub's own: github.com, or a subdomain of ghe.com. */
export function isHostedByGitHub({ host }: Server): boolean {
  return host === 'github.com' || host.endsWith('.ghe.com');
}

/**
 * The token for a server, by the rules of `gh`: a token for github.com is never sent to another host, unless GH_HOST or GITHUB_SERVER_URL says that it
 * is that host's.
 */
export function tokenFor(server: Server, env: Environment): Token | undefined {
  const found = firstVariable(env, variablesFor(server, env));
  return found === undefined ? undefined : { value: found.value, from: found.name };
}

/** The variables in which a token for a server may be, the first one first. */
export function variablesFor(server: Server, env: Environment): readonly string[] {
  const usual = ['GH_TOKEN', 'GITHUB_TOKEN'];
  if (isHostedByGitHub(server)) return usual;
  const remote = { kind: 'hosted', path: '', ...server } as const;
  const own = [env['GH_HOST'], env['GITHUB_SERVER_URL']].some((value) => serverNamed(value, remote) !== undefined);
  return ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', ...(own ? usual : [])];
}
