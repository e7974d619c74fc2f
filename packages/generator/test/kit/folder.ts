import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { generateKit, KIT_FILES, type DraftInput } from '../../src/index.js';

export const DRAFT: DraftInput = { version: 1, sources: [{ kind: 'github' }], agents: ['claude', 'codex'], workflow: 'simple' };

/** The kit is the same for all tests of its program, and takes a second to make. */
export const KIT = generateKit(DRAFT);
export const NAMES = KIT.map(({ name }) => name).sort();

/** Programs that stand in for others, by name. */
export type Programs = Readonly<Record<string, string>>;

/** A folder of a test. */
export function emptyFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-kit-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function writeKit(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of KIT) writeFileSync(join(folder, name), text);
}

export function fillIn(folder: string, issue: Readonly<Record<string, unknown>> = { source: 'github', title: 'Fix the thing', body: 'It is broken.', labels: [] }): void {
  writeFileSync(join(folder, KIT_FILES.input), JSON.stringify({ issue, approver: 'alex' }));
}

const IDENTITY = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.invalid', GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.invalid' };

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, ...IDENTITY }, stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** A repository with one commit and a remote. */
export function makeRepository(folder: string, origin = 'https://github.com/acme/app.git'): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'code.txt'), 'code\n');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'Begin');
  if (origin !== '') git(folder, 'remote', 'add', 'origin', origin);
  return folder;
}

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls the program of the kit in `folder`. Of programs, it finds git and those that are given. `hook` is code that runs before it. */
export function preflight(folder: string, args: readonly string[] = [], { env = {}, programs = {}, hook }: { readonly env?: Readonly<Record<string, string>>; readonly programs?: Programs; readonly hook?: string } = {}): Ended {
  const bin = emptyFolder();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  for (const [name, text] of Object.entries({ git: `#!/bin/sh\nexec ${real} "$@"\n`, ...programs })) writeFileSync(join(bin, name), text, { mode: 0o755 });
  const imported = hook === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...imported, join(folder, KIT_FILES.preflight), ...args], {
    cwd: folder, encoding: 'utf8', env: { PATH: [bin, '/nowhere'].join(delimiter), HOME: bin, ...env },
  });
  return { status, signal, stdout, stderr };
}

/** The files of a folder with what they hold, git's own left out. */
export function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes('/.git/'));
  return Object.fromEntries(files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length + 1), readFileSync(join(parentPath, name), 'utf8')]));
}
