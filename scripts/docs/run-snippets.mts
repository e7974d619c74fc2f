import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { outputMatches, sessionOf, type Snippet } from './snippets.mjs';

const COMMAND_LIMIT_MS = 120_000;

/** Nothing of a run around the check, no colour, and npx without the network. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(RELAYFLOWS?|FLOWS|GIT)_/.test(name) && !/^npm_/i.test(name));
  return { ...Object.fromEntries(kept), NO_COLOR: '1', npm_config_offline: 'true', npm_config_yes: 'false', npm_config_update_notifier: 'false' };
}

async function execute(cwd: string, script: string): Promise<{ readonly output: string; readonly status: string }> {
  // One pipe for both streams keeps the order in which a reader of the terminal would see them.
  const shell = execa('bash', ['-c', `exec 2>&1\n${script}`], { cwd, env: environment(), extendEnv: false, reject: false, stdin: 'ignore', detached: true });
  let late = false;
  // The whole group: what a command leaves running would keep the pipe open.
  const stop = (): void => {
    if (shell.pid !== undefined) killGroup(shell.pid);
  };
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, COMMAND_LIMIT_MS);
  shell.once('exit', stop);
  const result = await shell;
  clearTimeout(timer);
  const status = late ? `no end within ${COMMAND_LIMIT_MS / 1_000} s` : String(result.exitCode ?? result.signal);
  return { output: stripVTControlCharacters(result.stdout), status };
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function freshRepository(root: string, snippets: readonly Snippet[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relayflows-docs-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, '.gitignore'), 'node_modules\n.relayflowd/\n');
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true, scripts: { test: 'node --test' } }));
  for (const snippet of snippets) {
    if (snippet.language !== 'ts' || snippet.mark === '') continue;
    await mkdir(dirname(join(folder, snippet.mark)), { recursive: true });
    await writeFile(join(folder, snippet.mark), `${snippet.code}\n`);
  }
  const commit = 'git init -q -b main && git config user.name Reader && git config user.email reader@example.com && git add -A && git commit -q -m Begin';
  const { status, output } = await execute(folder, commit);
  if (status !== '0') throw new Error(`The repository for the snippets could not be made: ${output}`);
  return folder;
}

/** Where the commands of a document are run, and the run that its output last named. */
interface Reader {
  readonly folder: string;
  runId?: string;
}

async function read(reader: Reader, command: string): Promise<{ readonly output: string; readonly status: string }> {
  const result = await execute(reader.folder, reader.runId === undefined ? command : command.replaceAll('<run-id>', reader.runId));
  const named = /\bRUN ([0-9a-z]{10,})/.exec(result.output)?.[1];
  if (named !== undefined) reader.runId = named;
  return result;
}

async function sessionProblems(reader: Reader, snippet: Snippet): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { offset, command, exit, expected } of sessionOf(snippet.code)) {
    const { output, status } = await read(reader, command);
    const place = `${snippet.file}:${snippet.line + offset} $ ${command}`;
    if (status !== String(exit)) found.push(`${place}\n  ended with ${status}, the document says ${exit}. Output:\n${output}`);
    else if (!outputMatches(expected, output)) found.push(`${place}\n  the document shows:\n${expected.join('\n')}\n  it printed:\n${output}`);
  }
  return found;
}

async function scriptProblems(reader: Reader, snippet: Snippet): Promise<readonly string[]> {
  // A run's id is known only after the line that started it.
  const scripts = snippet.code.includes('<run-id>') ? snippet.code.split('\n') : [snippet.code];
  for (const script of scripts) {
    const { output, status } = await read(reader, `set -euo pipefail\n${script}`);
    if (status !== '0') return [`${snippet.file}:${snippet.line} ended with ${status}. Output:\n${output}`];
  }
  return [];
}

/** Commands for a fresh clone are run in the checkout, which is installed and built, and whose tests are another gate. */
async function cloneProblems(root: string, snippet: Snippet): Promise<readonly string[]> {
  const script = snippet.code.replace(/^(npm (ci|install|test|run build)( && |$))+/gm, '').replace(/^(.+?)\s+# exit (\d+)$/gm, 'if $1; then exit 1; else test $? -eq $2; fi');
  const { output, status } = await execute(root, `set -euo pipefail\n${script}`);
  return status === '0' ? [] : [`${snippet.file}:${snippet.line} ended with ${status}. Output:\n${output}`];
}

/** Runs the commands of one document in the order in which they stand there. */
export async function runProblems(root: string, snippets: readonly Snippet[]): Promise<readonly string[]> {
  const found: string[] = [];
  const reader: Reader = { folder: await freshRepository(root, snippets) };
  try {
    for (const snippet of snippets) {
      if (snippet.language === 'console') found.push(...(await sessionProblems(reader, snippet)));
      if (snippet.language === 'sh' && snippet.mark === '') found.push(...(await scriptProblems(reader, snippet)));
      if (snippet.language === 'sh' && snippet.mark === 'clone') found.push(...(await cloneProblems(root, snippet)));
    }
    return found;
  } finally {
    await rm(reader.folder, { recursive: true, force: true });
  }
}
