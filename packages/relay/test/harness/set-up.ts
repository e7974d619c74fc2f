import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLines } from 'test-tools';
import type { HarnessSetUp, SeenTurn } from '../../src/harness/conformance.js';
import type { HostEnvironment } from '../../src/harness/inherited-environment.js';
import type { Harness } from '../../src/harness/port.js';

const AGENT = fileURLToPath(new URL('scripted-agent/agent.mjs', import.meta.url));
const HOST = fileURLToPath(new URL('scripted-agent/host.mjs', import.meta.url));

export interface SetUpOptions {
  readonly name: 'command' | 'claude' | 'opencode' | 'pi';
  /** The program that the scripted agent is found as. */
  readonly program: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly agent: string;
  readonly create: (args: { readonly config: unknown; readonly env: HostEnvironment }) => Harness;
  /** Files of the repository. */
  readonly repoFiles?: Readonly<Record<string, string>>;
  /** Another program than the scripted agent, as a shell script. */
  readonly script?: string;
}

/** A harness whose program plays a part, in folders of its own. */
export async function setUp({ name, program, config = {}, agent, create, repoFiles = {}, script }: SetUpOptions): Promise<HarnessSetUp> {
  const root = await realpath(await mkdtemp(join(tmpdir(), `relay-${name}-`)));
  const [bin, repo, home, state] = ['bin', 'repo', 'home', 'state'].map((part) => join(root, part)) as [string, string, string, string];
  for (const folder of [bin, repo, home, state]) await mkdir(folder);
  if (script === undefined) await symlink(AGENT, join(bin, program));
  else await writeFile(join(bin, program), script, { mode: 0o755 });
  for (const [path, text] of Object.entries(repoFiles)) {
    await mkdir(dirname(join(repo, path)), { recursive: true });
    await writeFile(join(repo, path), text);
  }
  const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home, LANG: 'C.UTF-8', SCRIPTED_AGENT: state };
  const read = async <T>(file: string, otherwise: T): Promise<T> => (existsSync(join(state, file)) ? (JSON.parse(await readFile(join(state, file), 'utf8')) as T) : otherwise);
  return {
    harness: create({ config, env }), repo, agent, env, home,
    make: (changes) => create({ config: { ...config, ...changes.config }, env: changes.env ?? env }),
    files: async () => Object.fromEntries(await Promise.all((await readdir(repo, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(repo, path), await readFile(path, 'utf8')] as const;
    }))),
    play: async (turns) => await writeFile(join(state, 'part.json'), JSON.stringify(turns)),
    seen: async () => jsonLines<SeenTurn>(join(state, 'seen.jsonl')).map(withState(state)),
    async hanging() {
      for (;;) {
        const pids = await read<readonly number[] | undefined>('hanging.json', undefined);
        if (pids !== undefined) return pids;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    host: { file: process.execPath, args: ['--conditions=development', HOST, name, JSON.stringify(config)] },
    tearDown: async () => await rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The agent leaves out the variable that is for itself. */
const withState = (state: string) => (turn: SeenTurn): SeenTurn => ({ ...turn, env: { ...turn.env, SCRIPTED_AGENT: state } });
