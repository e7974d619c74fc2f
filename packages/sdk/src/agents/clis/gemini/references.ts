import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';

/** The CLI's own rule of what a reference is. A backslash before the `@` protects it, and is left in the prompt. */
const REFERENCE = /(?<!\\)@((?:"[^"]*"|\\.|[^ \t\n\r,;!?()[\]{}.]|\.(?!$|[ \t\n\r]))+)/g;

function nameIn(reference: string): string {
  return reference.replaceAll(/\\(.)/g, '$1');
}

/**
 * The names after an `@` in a task for which the CLI would find something: a path that exists in the directory, else any file there whose path ends
 * with the name or goes on with it up to its next slash.
 */
export async function referencesIn(task: string, cwd: string): Promise<ReadonlySet<string>> {
  const names = [...new Set(Array.from(task.matchAll(REFERENCE), ([, reference = '']) => nameIn(reference)))];
  const found = new Set<string>();
  await Promise.all(names.map(async (name) => {
    if (await isIn(cwd, name)) found.add(name);
  }));
  const open = names.filter((name) => !found.has(name));
  if (open.length > 0) for (const name of await searched(cwd, open)) found.add(name);
  return found;
}

/** The task with the references of these names broken up. */
export function withoutReferences(task: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return task;
  return task.replaceAll(REFERENCE, (whole, reference: string) => (names.has(nameIn(reference)) ? `@ ${reference}` : whole));
}

async function isIn(folder: string, name: string): Promise<boolean> {
  const file = path.resolve(folder, name);
  const relative = path.relative(folder, file);
  if (path.isAbsolute(relative) || relative.split(path.sep)[0] === '..') return false;
  return await stat(file).then(() => true, () => false);
}

/** Where the CLI does not look either. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Beyond so many files every name counts as found: a character too many is better than a wait. */
const MOST_FILES = 100_000;

async function searched(cwd: string, names: readonly string[]): Promise<readonly string[]> {
  const open = new Set(names.filter((name) => !/[*?[\]{}]/.test(name)));
  const found = names.filter((name) => !open.has(name));
  let seen = 0;
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined && open.size > 0; folder = folders.pop()) {
    // A folder that cannot be read holds nothing that the CLI could read.
    for await (const entry of await opendir(path.join(cwd, folder)).catch(() => [])) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) folders.push(name);
        continue;
      }
      seen += 1;
      if (seen > MOST_FILES) return names;
      for (const wanted of open) {
        if (!isNamed(name, wanted)) continue;
        found.push(wanted);
        open.delete(wanted);
      }
    }
  }
  return found;
}

function isNamed(file: string, wanted: string): boolean {
  const at = file.toLowerCase().lastIndexOf(wanted.toLowerCase());
  return at !== -1 && !file.slice(at + wanted.length).includes('/');
}
