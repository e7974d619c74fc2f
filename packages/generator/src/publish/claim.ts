import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isMissing } from './missing.js';
import { CLAIM, STAGED } from './names.js';

/** A process that publishes, named so precisely that it can be proved dead. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
}

/** What is known of processes. */
export interface Processes<O extends Owner = Owner> {
  readonly self: () => O;
  /** Whether an owner lives; `undefined` when that cannot be told from here. */
  readonly alive: (owner: O) => boolean | undefined;
}

export interface Claim {
  release(): Promise<void>;
}

/** A claim that stands in the way. */
export interface Claimed {
  readonly file: string;
  /** Unknown when the claim cannot be read. */
  readonly owner: Owner | undefined;
}

const ATTEMPTS = 10;

/**
 * Makes this process the only one that changes a folder, or says who is.
 *
 * Each process lays down a claim of its own, then looks for others: of two that come at once at least one sees the other and steps back for a moment.
 * Since a claim is never taken over, only removed when its owner is proved dead, nobody can remove the claim of somebody who came in between.
 */
export async function claimFolder<O extends Owner>(folder: string, processes: Processes<O>): Promise<Claim | Claimed> {
  const mine = `publishing-${process.pid}-${randomUUID()}${CLAIM}`;
  const release = (): Promise<void> => rm(join(folder, mine), { force: true });
  let other: Claimed | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    other = (await layDown(folder, mine, processes.self())) ? await otherClaim(folder, mine, processes) : { file: mine, owner: undefined };
    if (other === undefined) {
      await sweep(folder);
      return { release };
    }
    await release();
    if (attempt < ATTEMPTS) await wait(20 + Math.random() * 100);
  }
  return other ?? { file: mine, owner: undefined };
}

export function isClaim(claim: Claim | Claimed): claim is Claim {
  return 'release' in claim;
}

/** A claim that can be seen is whole. False when somebody who holds the folder swept it away half made. */
async function layDown(folder: string, name: string, self: Owner): Promise<boolean> {
  const staged = join(folder, `${name}${STAGED}`);
  await writeFile(staged, `${JSON.stringify(self)}\n`);
  return rename(staged, join(folder, name)).then(() => true, (error: unknown) => {
    if (isMissing(error)) return false;
    throw error;
  });
}

/** Claims that were never finished tell nothing of their owners, who start over should they live. */
async function sweep(folder: string): Promise<void> {
  const halves = (await readdir(folder)).filter((name) => name.endsWith(`${CLAIM}${STAGED}`));
  await Promise.all(halves.map((name) => rm(join(folder, name), { force: true })));
}

/** The claim of a process that lives, or may. Removes those of the dead. */
async function otherClaim<O extends Owner>(folder: string, mine: string, { alive }: Processes<O>): Promise<Claimed | undefined> {
  for (const file of await readdir(folder)) {
    if (!file.endsWith(CLAIM) || file === mine) continue;
    const owner = await readOwner<O>(join(folder, file));
    if (owner === 'gone') continue;
    if (owner !== undefined && alive(owner) === false) await rm(join(folder, file), { force: true });
    else return { file, owner };
  }
  return undefined;
}

async function readOwner<O extends Owner>(path: string): Promise<O | 'gone' | undefined> {
  try {
    const owner = JSON.parse(await readFile(path, 'utf8')) as Partial<O> | null;
    return typeof owner?.pid === 'number' && typeof owner.host === 'string' ? (owner as O) : undefined;
  } catch (error) {
    return isMissing(error) ? 'gone' : undefined;
  }
}
