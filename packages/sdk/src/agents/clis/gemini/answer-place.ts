import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, mkdtemp, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { environmentFile } from './variables.js';
import { readSettings, settingsFile, userFolder, type HostEnv } from './settings.js';

/*
 * Where a model is asked. The CLI tells a model the files of its directory, and what GEMINI.md files say, unless settings say otherwise; and no settings
 * can be given to a call but those of its directory. So it has one of its own: empty, with settings that make it the question and nothing else.
 *
 * The directory stays, and is used again: the CLI never forgets one that it has seen.
 */

const SETTINGS = {
  context: { includeDirectoryTree: false, fileName: ['.relayflows-reads-no-context'], fileFiltering: { enableRecursiveFileSearch: false } },
  tools: { core: [] },
  hooksConfig: { enabled: false },
  skills: { enabled: false },
};

/** What a directory's own settings may say about how a model is reached. */
const KEPT = ['security', 'model', 'modelConfigs', 'billing', 'privacy', 'telemetry'];

/** Absolute real path of the directory in which a model is asked on behalf of `cwd`: signed in and set up as it would be there. */
export async function answerPlace({ cwd, env }: { readonly cwd: string; readonly env: HostEnv }): Promise<string> {
  const [own, variables] = await Promise.all([readSettings(settingsFile(cwd)), environmentFile(cwd, env)]);
  const kept = own === undefined || own === 'absent' ? [] : Object.entries(own).filter(([name]) => KEPT.includes(name));
  const settings = JSON.stringify({ ...Object.fromEntries(kept), ...SETTINGS });
  const isUsers = variables === undefined || path.dirname(variables) === userFolder(env) || path.dirname(variables) === path.dirname(userFolder(env));
  const link = isUsers ? undefined : variables;
  const name = createHash('sha256').update(JSON.stringify([settings, link ?? ''])).digest('hex').slice(0, 16);
  const place = await privateFolder(name);
  const file = settingsFile(place);
  await mkdir(path.dirname(file), { recursive: true });
  // Renamed into place, for those that ask at the same time.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, settings);
  await rename(draft, file);
  if (link !== undefined) await linked(link, place);
  return await realpath(place);
}

/** A folder that nobody else can have put anything into. */
async function privateFolder(name: string): Promise<string> {
  const { uid } = userInfo();
  const folder = path.join(tmpdir(), `relayflows-gemini-${uid}`);
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && (uid === -1 || found.uid === uid) && (found.mode & 0o077) === 0;
  const place = isOurs ? path.join(folder, name) : await mkdtemp(path.join(tmpdir(), 'relayflows-gemini-'));
  await mkdir(place, { recursive: true, mode: 0o700 });
  return place;
}

/** The nearest `.env` file applies here as well; it is not copied, for it holds secrets. */
async function linked(variables: string, place: string): Promise<void> {
  const isGeminis = path.basename(path.dirname(variables)) === '.gemini';
  await symlink(variables, path.join(place, ...(isGeminis ? ['.gemini'] : []), '.env')).catch(() => undefined);
}
