import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from './digest.js';
import { isMissing } from './missing.js';
import { CLAIM } from './names.js';

/** A folder of published versions as it is: its files by name. What is no regular file has no content. */
export type Folder = ReadonlyMap<string, Uint8Array | undefined>;

/** Reads a folder of published versions; empty when there is none. Who publishes at the moment is no part of it. */
export async function readFolder(path: string): Promise<Folder> {
  const names = await readdir(path).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const folder = new Map<string, Uint8Array | undefined>();
  for (const name of names.filter((candidate) => !candidate.includes(CLAIM)).sort()) {
    const file = join(path, name);
    folder.set(name, (await lstat(file)).isFile() ? await readFile(file) : undefined);
  }
  return folder;
}

/** The sha256 of a file in the folder, or `undefined` when it is missing or no regular file. */
export function digestIn(folder: Folder, name: string): string | undefined {
  const content = folder.get(name);
  return content === undefined ? undefined : sha256Of(content);
}

export function textIn(folder: Folder, name: string): string | undefined {
  const content = folder.get(name);
  return content === undefined ? undefined : Buffer.from(content).toString('utf8');
}
