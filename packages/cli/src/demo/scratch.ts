import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { FlowsError, withChangeCommands } from '@relayflows/sdk';
import type { Io } from '../io.js';
import { shellWord } from '../text/shell-word.js';
import type { Garden } from './garden.js';
import type { Scenario } from './scenario.js';

/** Where a demo takes place: one folder, which holds all that it makes. */
export interface Scratch {
  readonly folder: string;
  /** The checkout that agents work in. */
  readonly checkout: string;
  /** Its bare origin. */
  readonly origin: string;
  /** The published flow. */
  readonly flow: string;
  /** Where the run is kept. */
  readonly dataDir: string;
  /** What the run and all it starts get instead of the environment of whoever calls. */
  readonly env: Readonly<Record<string, string>>;
  readonly git: (...args: readonly string[]) => string;
  readonly remove: () => void;
}

/** The program that plays the agents, beside `dist/demo/` and beside `dist/bundle/`. */
const AGENT = join(import.meta.dirname, '../demo/agent/main.js');

/** The CLIs that the published flow names, which are not asked for anything here. */
export const PLAYED = ['claude', 'codex'];

/**
 * Makes the scratch folder: a repository with a bare origin, the flow, programs that stand in for the agents, and a folder that stands in for the forge. Nothing of the caller's git
 * configuration is used or needed. Throws `spawn_failed` where git is missing, `file_unwritable` where nothing can be made.
 */
export function makeScratch({ scenario, garden, io }: { readonly scenario: Scenario; readonly garden: Garden; readonly io: Io }): Scratch {
  let folder: string;
  try {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-demo-')));
  } catch (cause) {
    throw new FlowsError('file_unwritable', `No scratch folder can be made: ${(cause as Error).message}.`, { hint: 'Set TMPDIR to a folder that can be written to.', cause });
  }
  const at = (name: string): string => join(folder, name);
  const env = environment(io.env, at('bin'), at('forge'));
  const [checkout, origin, flow] = [at('till'), at('origin.git'), at('software-garden.flow.ts')];
  const git = (...args: readonly string[]): string => runGit(checkout, args, env);
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    writeFileSync(flow, garden.source);
    writeFileSync(at('ticket.json'), `${JSON.stringify({ issue: scenario.ticket, approver: 'you' }, null, 2)}\n`);
    // Ends the search for a configuration, which might forbid the models of this flow.
    writeFileSync(at('flows.json'), '{}\n');
    mkdirSync(at('bin'));
    // What the repository's checks call `node` is this one.
    symlinkSync(process.execPath, join(at('bin'), 'node'));
    for (const name of PLAYED) program(join(at('bin'), name), `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(AGENT)} "$@"\n`);
    makeRepository({ checkout, origin, env, files: scenario.files });
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, checkout, origin, flow, dataDir: at('runs'), env, git, remove };
}

function makeRepository({ checkout, origin, env, files }: { readonly checkout: string; readonly origin: string; readonly env: Scratch['env']; readonly files: Scenario['files'] }): void {
  for (const path of [checkout, origin]) mkdirSync(path);
  const git = (...args: readonly string[]): string => runGit(checkout, args, env);
  // Older versions of git cannot be told the name of the first branch.
  runGit(origin, ['init', '-q', '--bare', '--template='], env);
  runGit(origin, ['symbolic-ref', 'HEAD', 'refs/heads/main'], env);
  git('init', '-q', '--template=');
  git('symbolic-ref', 'HEAD', 'refs/heads/main');
  // Of the repository itself, so that nothing of its user's is asked for, by whatever program.
  writeFileSync(join(checkout, '.git/config'), `${readFileSync(join(checkout, '.git/config'), 'utf8')}${CONFIGURATION}`);
  git('remote', 'add', 'origin', '../origin.git');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }
  git('add', '-A');
  git('commit', '-q', '-m', 'Print receipts');
  git('push', '-q', '-u', 'origin', 'main');
  git('remote', 'set-head', 'origin', 'main');
}

const CONFIGURATION = `[user]
\tname = Scripted agent
\temail = agent@demo.invalid
[commit]
\tgpgSign = false
[core]
\thooksPath = /dev/null
\tautocrlf = false
`;

/** Variables of another place: of git, of the run around this one, of a package manager that started us, of tests that called us. */
const FOREIGN = /^(GIT_|RELAYFLOW_(?!SCOPE$|NODE$)|npm_|INIT_CWD$|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NODE_V8_COVERAGE$)/;

function environment(host: Io['env'], bin: string, forge: string): Scratch['env'] {
  // First, since it takes out of PATH what a package manager has put there.
  const withCommands = withChangeCommands({ ...host, PATH: host['PATH'] ?? '/usr/bin:/bin' });
  const kept = Object.entries(withCommands).flatMap(([name, value]) => (value === undefined || FOREIGN.test(name) ? [] : [[name, value] as const]));
  return {
    ...Object.fromEntries(kept),
    PATH: [bin, withCommands['PATH'] ?? ''].join(delimiter),
    RELAYFLOW_FORGE_DIR: forge,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

function runGit(cwd: string, args: readonly string[], env: Scratch['env']): string {
  try {
    return execFileSync('git', args, { cwd, env: { ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 16_777_216 }).trimEnd();
  } catch (cause) {
    const { code, stderr } = cause as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT') throw new FlowsError('spawn_failed', 'Git is not on the PATH.', { hint: 'Install git, then run `flows demo` again.', cause });
    throw new FlowsError('worker_error', `git ${args[0]} failed in the scratch repository.`, { hint: 'Run `flows demo` again; if it lasts, look at what git says.', evidence: { stderrTail: (stderr ?? '').slice(-2_000) }, cause });
  }
}

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}
