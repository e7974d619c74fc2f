import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { userFolder, type HostEnv } from './settings.js';

/** What variables a turn would see, without their values. */
export interface Variables {
  /** Whether it is set to anything. */
  readonly has: (name: string) => boolean;
  readonly isTrue: (name: string) => boolean;
}

/** Those of the host, and what the first `.env` file adds to them. */
export async function variablesFor({ cwd, env }: { readonly cwd: string; readonly env: HostEnv }): Promise<Variables> {
  const file = await environmentFile(cwd, env);
  const text = file === undefined ? '' : await readFile(file, 'utf8').catch(() => '');
  const fromFile = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*[=:][ \t]*(.*?)[ \t]*$/gm)) {
    fromFile.set(name, value.replace(/^(['"])(.*)\1$/, '$2'));
  }
  const valueOf = (name: string): string => env[name] ?? fromFile.get(name) ?? '';
  return { has: (name) => valueOf(name) !== '', isTrue: (name) => valueOf(name) === 'true' };
}

/** The one `.env` file that is read: the nearest on the way up from the directory, else the user's. */
export async function environmentFile(cwd: string, env: HostEnv): Promise<string | undefined> {
  const home = userFolder(env);
  const candidates: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    candidates.push(path.join(folder, '.gemini', '.env'), path.join(folder, '.env'));
    if (path.dirname(folder) === folder) break;
  }
  candidates.push(path.join(home, '.env'), path.join(path.dirname(home), '.env'));
  for (const candidate of candidates) {
    if (await stat(candidate).then((found) => found.isFile(), () => false)) return candidate;
  }
  return undefined;
}
