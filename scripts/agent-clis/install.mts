import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { cliIn, folderOf } from '../../packages/stub-llm/src/clis/installed.js';
import type { PinnedCli } from '../../packages/stub-llm/src/clis/pinned.js';

/*
 * Other checkouts may install the same CLI at the same moment, and any of them may be killed. So a CLI is installed beside its place, is asked for its
 * version there, and then moved: a folder with its final name is complete.
 */

const PARTIAL = '.partial';
/** One that is older was left behind by a process that was killed. */
const LONGEST_INSTALL_MS = 24 * 3_600_000;

/** Installs a CLI into its folder below `cache` unless it works there already. Throws an error that says what failed and quotes it. */
export async function install(cli: PinnedCli, cache: string): Promise<'present' | 'installed'> {
  const folder = folderOf(cli, cache);
  if ((await fault(cli, folder)) === undefined) return 'present';
  const partial = `${folder}.${randomBytes(6).toString('hex')}${PARTIAL}`;
  try {
    await mkdir(partial, { recursive: true });
    await download(cli, partial);
    const wrong = await fault(cli, partial);
    if (wrong !== undefined) throw new Error(wrong);
    await moveInto(cli, partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return 'installed';
}

/** Removes what installs that were killed have left in the cache. */
export async function removeLeftovers(cache: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(cache).catch((): string[] => [])) {
    const path = join(cache, name);
    if (!name.endsWith(PARTIAL)) continue;
    const age = now - (await stat(path).then(({ mtimeMs }) => mtimeMs, () => now));
    if (age > LONGEST_INSTALL_MS) await rm(path, { recursive: true, force: true });
  }
}

async function download(cli: PinnedCli, folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'agent-cli', private: true }));
  const node = cli.node === undefined ? [] : [`node-${process.platform}-${process.arch}@${cli.node}`];
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=3', '--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=15000'];
  await succeed(folder, 'npm', 'install', '--save-exact', ...quietly, `${cli.package}@${cli.version}`, ...node);
  if (cli.setup === undefined) return;
  const script = join(folder, 'node_modules', cli.setup);
  await succeed(dirname(script), process.execPath, script);
}

/** Moves a complete install to its place, unless another process was faster. What is there and does not work goes. */
async function moveInto(cli: PinnedCli, partial: string, folder: string): Promise<void> {
  while (!(await moved(partial, folder))) {
    if ((await fault(cli, folder)) === undefined) return;
    const aside = `${folder}.${randomBytes(6).toString('hex')}${PARTIAL}`;
    await rename(folder, aside).catch(() => {});
    await rm(aside, { recursive: true, force: true });
  }
}

/** `false` where there is something already. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}

/** What keeps the CLI in this folder from being used; `undefined` when it answers with its version. */
async function fault(cli: PinnedCli, folder: string): Promise<string | undefined> {
  const installed = cliIn(cli, folder);
  if (installed === undefined) return `${cli.package}@${cli.version} has no ${cli.bin} in ${basename(folder)}`;
  const home = await mkdtemp(join(tmpdir(), 'relayflows-agent-version-'));
  try {
    const answer = await run(home, { ...installed.env, HOME: home }, installed.path, '--version');
    if (answer.failed) return shown(answer);
    return answer.all.includes(cli.version) ? undefined : `${answer.escapedCommand} answered without ${cli.version}:\n${answer.all}`;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function succeed(cwd: string, file: string, ...args: readonly string[]): Promise<void> {
  const result = await run(cwd, {}, file, ...args);
  if (result.failed) throw new Error(shown(result));
}

/** The settings of npm in which this script itself may run would install into the checkout. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(config_local|package|lifecycle)/.test(name)));

type Ended = Awaited<ReturnType<typeof run>>;

async function run(cwd: string, env: Readonly<Record<string, string>>, file: string, ...args: readonly string[]) {
  return await execa(file, args, { cwd, env: { ...environment, ...env }, extendEnv: false, all: true, stdin: 'ignore', reject: false, timeout: 600_000 });
}

function shown(result: Ended): string {
  return `${result.escapedCommand} ended with ${result.exitCode ?? result.signal ?? result.originalMessage}:\n${result.all}`.trimEnd();
}
