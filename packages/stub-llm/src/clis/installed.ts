import { accessSync, constants, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { recordOf } from '../json.js';
import { PINNED_CLIS, type AgentCliName, type PinnedCli } from './pinned.js';

export interface InstalledCli {
  readonly name: AgentCliName;
  readonly version: string;
  /** Absolute path of the executable. */
  readonly path: string;
  /** What its environment needs besides. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Where pinned CLIs are installed: a folder outside of the checkout, which many checkouts share. */
export function agentCacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const { RELAYFLOWS_AGENT_CACHE: own, XDG_CACHE_HOME: cache } = env;
  if (own !== undefined && own !== '') return own;
  return join(cache !== undefined && cache !== '' ? cache : join(homedir(), '.cache'), 'relayflows', 'agent-clis');
}

/** The folder of one CLI, whether or not it exists. It is complete when it does, since it is made elsewhere and moved there. */
export function folderOf(cli: PinnedCli, cache: string): string {
  return join(cache, `${cli.bin}-${cli.version}`);
}

/** The pinned CLI of this name, or `undefined` where it is not installed at its pinned version. `npm run test:agents` installs it. */
export function agentCli(name: AgentCliName, cache: string = agentCacheFolder()): InstalledCli | undefined {
  const cli = PINNED_CLIS.find((pinned) => pinned.name === name);
  return cli === undefined ? undefined : cliIn(cli, folderOf(cli, cache));
}

/** The CLI in a folder that npm installed it into, as far as its files tell; `undefined` when it is not there or is of another version. */
export function cliIn(cli: PinnedCli, folder: string): InstalledCli | undefined {
  const bin = join(folder, 'node_modules', '.bin');
  const path = join(bin, cli.bin);
  if (versionIn(join(folder, 'node_modules', cli.package)) !== cli.version || !isExecutable(path)) return undefined;
  // Its own Node stands beside it.
  const env = cli.node === undefined ? undefined : { PATH: [bin, process.env['PATH'] ?? ''].join(delimiter) };
  return { name: cli.name, version: cli.version, path, ...(env === undefined ? {} : { env }) };
}

function versionIn(packageFolder: string): unknown {
  try {
    return recordOf(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')))['version'];
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
