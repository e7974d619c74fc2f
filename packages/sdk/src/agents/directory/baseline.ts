import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SnapshotFile, TreeSnapshot } from './tree-snapshot.js';

/*
 * What a directory held before the first attempt, kept in a file while a step is in flight: an attempt after a crash still reports everything that
 * the step changed, not only what happened since the restart.
 */

/** Answers whether it could be written: without it, artifacts after a crash are those since the restart. */
export async function keepBaseline(file: string, tree: TreeSnapshot): Promise<boolean> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify([...tree]));
    return true;
  } catch {
    return false;
  }
}

/** `undefined` when the file is gone or was cut off by the crash. */
export async function readBaseline(file: string): Promise<TreeSnapshot | undefined> {
  try {
    return new Map(JSON.parse(await readFile(file, 'utf8')) as [string, SnapshotFile][]);
  } catch {
    return undefined;
  }
}

export async function dropBaseline(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}
