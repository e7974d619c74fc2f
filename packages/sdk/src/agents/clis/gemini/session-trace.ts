import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseRecord, recordOf, textOf } from '../../driver/record.js';
import { userFolder, type HostEnv } from './settings.js';

/**
 * Removes what the CLI has written down of a session. It keeps every session, and has no switch against it: one file in the folder of its directory,
 * whose name ends with the first eight characters of the id, and logs under the whole id.
 */
export async function removeSession(session: { readonly id: string; readonly cwd: string; readonly env: HostEnv }): Promise<void> {
  const home = userFolder(session.env);
  const known = parseRecord((await readFile(path.join(home, 'projects.json'), 'utf8').catch(() => '')).replaceAll('\n', ' '));
  const name = textOf(recordOf(known?.['projects'])[session.cwd]);
  if (name === undefined) return;
  const folder = path.join(home, 'tmp', name);
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const ending = `-${session.id.slice(0, 8)}.jsonl`;
  const its = names.filter((file) => file.endsWith(ending) || path.basename(file).includes(session.id));
  await Promise.all(its.map(async (file) => await rm(path.join(folder, file), { recursive: true, force: true })));
}
