import { lstatSync, mkdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { chmod, copyFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isGone } from '../directory/content-cache.js';
import { nameBytes } from '../directory/git.js';
import type { TreeChange } from '../directory/tree-changes.js';
import { fileIn, shownName, type SnapshotFile, type TreeRequest } from '../directory/tree-snapshot.js';
import type { Held } from './held.js';
import { GitContents } from './git-contents.js';

export interface FileRestore {
  readonly held: Held;
  readonly look: TreeRequest;
  readonly changes: readonly TreeChange[];
}

/** Puts files back: what was created is removed, what was changed or deleted gets its old bytes and mode. Answers what could not be, by name. */
export async function restoreFiles(request: FileRestore): Promise<ReadonlyMap<string, string>> {
  const { held, look, changes } = request;
  const left = new Map<string, string>();
  const attempt = async (name: string, act: () => Promise<string | undefined> | string | undefined): Promise<void> => {
    try {
      const problem = await act();
      if (problem !== undefined) left.set(name, problem);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      left.set(name, code === 'ENOSPC' ? 'the disk is full' : code);
    }
  };
  for (const { name } of changes.filter(({ how }) => how === 'created')) await attempt(name, () => remove(look.directory, name, held));
  const back = changes.filter(({ how }) => how !== 'created');
  // What git makes of a file depends on its attributes, so those come first.
  const rules = back.filter(({ name }) => name.split('/').at(-1) === '.gitattributes');
  for (const part of [rules, back.filter((change) => !rules.includes(change))]) {
    const contents = await GitContents.of({ held, look, names: part.map(({ name }) => name) });
    for (const change of part) await attempt(change.name, () => bringBack(request, change, contents));
  }
  return left;
}

function remove(directory: string, name: string, held: Held): undefined {
  unlinkSync(fileIn(directory, name));
  for (let end = name.lastIndexOf('/'); end !== -1; end = name.lastIndexOf('/', end - 1)) {
    const folder = name.slice(0, end);
    if (held.tree.folders.has(folder)) return;
    try {
      rmdirSync(fileIn(directory, folder));
    } catch {
      // Something that may stay lives there.
      return;
    }
  }
}

async function bringBack({ held, look }: FileRestore, change: TreeChange, contents: GitContents): Promise<string | undefined> {
  const { name } = change;
  const target = fileIn(look.directory, name);
  const file = held.tree.files.get(name);
  if (change.how === 'mode' && file !== undefined) {
    await chmod(target, file.mode & 0o7777);
    return undefined;
  }
  const link = held.tree.links.get(name);
  if (file === undefined && link === undefined) return 'it was a pipe, a socket or a device';
  const blocked = wayTo(look.directory, name);
  if (blocked !== undefined) return blocked;
  const prepared = path.join(held.folder, 'prepared');
  await rm(prepared, { force: true });
  if (link !== undefined) symlinkSync(nameBytes(link), prepared);
  if (file !== undefined) {
    const problem = await prepare(prepared, file, { copy: held.copies.get(name), name, contents, look });
    if (problem !== undefined) return problem;
  }
  await put(prepared, target);
  return undefined;
}

/** Writes the old content, proves that it is the old content, and gives it its old mode and time. */
async function prepare(prepared: string, file: SnapshotFile, from: { readonly copy: string | undefined; readonly name: string; readonly contents: GitContents; readonly look: TreeRequest }): Promise<string | undefined> {
  if (from.copy !== undefined) {
    await copyFile(from.copy, prepared);
    const { size, mtimeMs, ctimeMs, ino, mode } = lstatSync(prepared);
    const content = await from.look.contents.sha256(prepared, { size, mtimeMs, ctimeMs, ino, mode }, true);
    if (content !== file.content) return 'the copy of its earlier content is damaged';
  } else {
    const bytes = await from.contents.bytes(from.name);
    if (bytes === undefined) return file.content.startsWith('git:') ? 'git does not give its earlier content back byte for byte' : 'its earlier content was not kept';
    await writeFile(prepared, bytes, { mode: 0o600 });
  }
  await chmod(prepared, file.mode & 0o7777);
  await utimes(prepared, file.mtimeMs / 1_000, file.mtimeMs / 1_000);
  return undefined;
}

/** Makes the folders on the way to a file, without going through anything that is no folder. Answers with what is in the way. */
function wayTo(directory: string, name: string): string | undefined {
  for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) {
    const folder = name.slice(0, end);
    const kind = kindOf(fileIn(directory, folder));
    if (kind === 'nothing') mkdirSync(fileIn(directory, folder));
    else if (kind !== 'folder') return `${shownName(folder)} is no folder any more`;
  }
  const target = fileIn(directory, name);
  if (kindOf(target) !== 'folder') return undefined;
  try {
    rmdirSync(target);
    return undefined;
  } catch {
    return 'a folder that holds other files is in its place';
  }
}

function kindOf(file: Buffer): 'folder' | 'other' | 'nothing' {
  try {
    return lstatSync(file).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (isGone(error)) return 'nothing';
    throw error;
  }
}

/** In one move where both lie on one file system, so that nobody sees half a file. */
async function put(prepared: string, target: Buffer): Promise<void> {
  try {
    await rename(prepared, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const stats = lstatSync(prepared);
    await rm(target, { force: true });
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(prepared), target);
    else {
      await copyFile(prepared, target);
      await chmod(target, stats.mode & 0o7777);
      await utimes(target, stats.mtimeMs / 1_000, stats.mtimeMs / 1_000);
    }
    await rm(prepared, { force: true });
  }
}
