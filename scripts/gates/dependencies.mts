import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import type { Gate } from './gate.mjs';

/** The oldest Node that the packages support. */
export const OLDEST_NODE = '20.19.0';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/**
 * What is wrong with the locked dependencies. Those that only developers install (`dev` in the lock file, which npm works out for the whole tree) may
 * run install scripts and are not held to the oldest Node.
 */
export function lockfileProblems(lock: Lockfile): readonly string[] {
  const found: string[] = [];
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (!path.includes('node_modules/') || locked.link === true) continue;
    const name = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${locked.version}`;
    if (locked.resolved !== undefined) found.push(`${name}: package-lock.json names where it was downloaded from; run npm install with the .npmrc of the repository`);
    if (locked.dev === true) continue;
    const range = locked.engines?.node;
    if (range !== undefined && !semver.satisfies(OLDEST_NODE, range)) found.push(`${name}: its engines (${range}) exclude Node ${OLDEST_NODE}`);
    if (locked.hasInstallScript === true) found.push(`${name}: a production dependency with an install script`);
  }
  return found;
}

export const dependencies: Gate = {
  name: 'dependencies',
  proves: `every production dependency allows Node ${OLDEST_NODE}, runs nothing when installed, and the lock file names no download host`,
  problems: async (root) => lockfileProblems(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lockfile),
};
