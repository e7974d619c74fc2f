import { isAbsolute, resolve } from 'node:path';
import { FlowsError } from '../../errors/flows-error.js';
import type { Environment } from '../environment.js';
import { parseRemote, type Remote } from './parse-remote.js';
import { serverNamed, webServer, type Server } from './server.js';

/** Which forge a repository belongs to. */
export type ForgeChoice =
  | { readonly kind: 'github'; readonly server: Server; readonly owner: string; readonly repository: string }
  | { readonly kind: 'gitlab'; readonly server: Server; readonly project: string }
  | { readonly kind: 'folder'; readonly directory: string };

export interface ForgeQuestion {
  /** The address of the remote, as git gives it. */
  readonly address: string;
  /** Absolute path; a relative `RELAYFLOW_FORGE_DIR` is taken from here. */
  readonly cwd: string;
  readonly env: Environment;
  /** What `git config relayflow.forge` says. */
  readonly configured?: string | undefined;
}

type Hosted = Extract<Remote, { kind: 'hosted' }>;

/** Servers that answer to ssh under a name of their own. */
const SSH_NAMES: Readonly<Record<string, string>> = { 'ssh.github.com': 'github.com', 'altssh.gitlab.com': 'gitlab.com' };

/**
 * Decides on the forge of a repository by the address of its remote. `RELAYFLOW_FORGE_DIR` names a folder that stands in for any forge, so that a demo
 * can open nothing anywhere else.
 *
 * @throws {FlowsError} `forge_unknown`
 */
export function chooseForge({ address, cwd, env, configured }: ForgeQuestion): ForgeChoice {
  const folder = env['RELAYFLOW_FORGE_DIR'];
  if (folder !== undefined && folder !== '') return { kind: 'folder', directory: isAbsolute(folder) ? folder : resolve(cwd, folder) };
  const remote = parseRemote(address);
  if (remote === undefined) throw unknown('The address of the remote origin cannot be read.', 'Correct it with `git remote set-url origin <url>`.');
  if (remote.kind === 'local') {
    throw unknown('The remote origin is a folder of this machine, which keeps no change requests.', 'Set RELAYFLOW_FORGE_DIR to a folder that stands in for a forge, or push to a forge.');
  }
  const host = SSH_NAMES[remote.host];
  const named: Hosted = host === undefined ? remote : { kind: 'hosted', scheme: 'ssh', host, path: remote.path };
  const kind = configured === undefined || configured === '' ? kindOf(named, env) : configured;
  if (kind === 'github') return gitHub(named);
  if (kind === 'gitlab') return gitLab(named, env);
  if (kind !== undefined) throw unknown(`The setting relayflow.forge is ${JSON.stringify(kind)}.`, 'Set it to github or gitlab: `git config relayflow.forge gitlab`.');
  throw unknown(`It is not known what kind of forge ${remote.host} is.`, 'Say it with `git config relayflow.forge github` or `git config relayflow.forge gitlab`.', { host: remote.host });
}

function kindOf({ host, ...remote }: Hosted, env: Environment): 'github' | 'gitlab' | undefined {
  if (host === 'github.com' || host.endsWith('.ghe.com')) return 'github';
  if (host === 'gitlab.com') return 'gitlab';
  const is = (value: string | undefined): boolean => serverNamed(value, { host, ...remote }) !== undefined;
  if (is(env['GH_HOST']) || is(env['GITHUB_SERVER_URL'])) return 'github';
  if (is(env['GITLAB_HOST']) || is(env['CI_SERVER_URL']) || is(env['CI_SERVER_HOST'])) return 'gitlab';
  // What companies call their own: github.example.com, git-gitlab.example.com.
  const names = host.split(/[.-]/);
  if (names.includes('github') || names.includes('ghe')) return 'github';
  return names.includes('gitlab') ? 'gitlab' : undefined;
}

function gitHub(remote: Hosted): ForgeChoice {
  const [owner, repository, ...more] = remote.path.split('/');
  if (owner === undefined || repository === undefined || more.length > 0) throw noRepository(remote, 'an owner and a name');
  return { kind: 'github', server: webServer(remote), owner, repository };
}

function gitLab(remote: Hosted, env: Environment): ForgeChoice {
  const server = serverNamed(env['CI_SERVER_URL'], remote) ?? serverNamed(env['GITLAB_HOST'], remote) ?? webServer(remote);
  // A GitLab that lives below a path of its host has that path in the addresses of https, and not in those of ssh.
  const below = `${server.root.slice(1)}/`;
  const project = server.root !== '' && remote.path.startsWith(below) ? remote.path.slice(below.length) : remote.path;
  if (!project.includes('/')) throw noRepository(remote, 'a group and a project');
  return { kind: 'gitlab', server, project };
}

function noRepository({ host, path }: Hosted, parts: string): FlowsError {
  return unknown(`The remote origin names ${JSON.stringify(path)} on ${host}, which is not ${parts}.`, 'Correct it with `git remote set-url origin <url>`.');
}

function unknown(text: string, hint: string, evidence: Readonly<Record<string, unknown>> = {}): FlowsError {
  return new FlowsError('forge_unknown', text, { hint, evidence });
}
