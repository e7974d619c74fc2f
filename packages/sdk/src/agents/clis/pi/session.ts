import { open, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseRecord, textOf } from '../../driver/record.js';
import type { AgentRequest } from '../../port.js';

/*
 * A session of pi belongs to the directory it began in. `--session` elsewhere asks on standard input whether to fork it, which ends with status 0 and
 * nothing done; given its file, it would work in the old directory. `--fork` takes a copy of the conversation over to this one, under a new id.
 *
 * Sessions lie in `sessions/<directory>/<time>_<id>.jsonl` below pi's folder, each with its directory in the first line (0.73.1 and 1.6.0). Whatever
 * lies elsewhere, by a `sessionDir` in pi's settings, is left to pi: it refuses what it does not find.
 */

/** The switches that continue a session. */
export async function sessionSwitches(id: string, at: Pick<AgentRequest, 'cwd' | 'hostEnv'>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of await filesOf(id, at.hostEnv)) {
    if ((await directoryOf(file)) === at.cwd) return ['--session', id];
    found.push(file);
  }
  const [elsewhere] = found;
  return elsewhere === undefined ? ['--session', id] : ['--fork', elsewhere];
}

async function filesOf(id: string, env: AgentRequest['hostEnv']): Promise<readonly string[]> {
  const all = path.join(folderIn(env, 'PI_CODING_AGENT_DIR') ?? path.join(homeIn(env), '.pi', 'agent'), 'sessions');
  const own = folderIn(env, 'PI_CODING_AGENT_SESSION_DIR');
  const folders = [...(await namesIn(all)).map((name) => path.join(all, name)), ...(own === undefined ? [] : [own])];
  const files = await Promise.all(folders.map(async (folder) => (await namesIn(folder)).filter((name) => name.endsWith(`_${id}.jsonl`)).map((name) => path.join(folder, name))));
  return files.flat();
}

function homeIn(env: AgentRequest['hostEnv']): string {
  return env['HOME'] ?? os.homedir();
}

/** A folder that a variable names, `~` for the home. */
function folderIn(env: AgentRequest['hostEnv'], variable: string): string | undefined {
  const named = env[variable];
  return named === undefined || named === '' ? undefined : named.replace(/^~(?=\/|$)/, homeIn(env));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

/** More than a first line takes. */
const FIRST_LINE_BYTES = 16_384;

async function directoryOf(file: string): Promise<string | undefined> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
    return textOf(parseRecord(buffer.toString('utf8', 0, bytesRead).split('\n')[0] ?? '')?.['cwd']);
  } finally {
    await handle.close();
  }
}
