import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { shellPart } from '../../src/shell/parts.js';
import type { Hostile } from './hostile.js';
import { failingHooks } from './hostile.js';
import type { Shell } from './shells.js';

export interface Ran {
  /** Standard output without the newline at its end. */
  readonly answer: string;
  readonly stderr: string;
  readonly status: number | null;
}

export interface Where {
  /** What the repository is called. */
  readonly repository?: string;
  /** Where in the repository the parts run. */
  readonly folder?: string;
  readonly hostile?: Hostile;
}

type Env = Readonly<Record<string, string>>;

/** A repository with one commit on `main` and a bare origin that has it, and a way to run parts in it. */
export class Scratch {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-part-')));
  readonly repo: string;
  /** Where parts run. */
  cwd: string;
  readonly bin = join(this.top, 'bin');
  readonly #shell: Shell;
  readonly #env: Env;

  constructor(shell: Shell, { repository = 'repo', folder = '', hostile }: Where = {}) {
    onTestFinished(() => rmSync(this.top, { recursive: true, force: true, maxRetries: 5 }));
    this.#shell = shell;
    this.repo = join(this.top, repository);
    this.cwd = join(this.repo, folder);
    for (const made of [this.bin, this.repo, this.cwd, join(this.top, 'home')]) mkdirSync(made, { recursive: true });
    this.#env = {
      PATH: [this.bin, ...shell.path, process.env['PATH'] ?? ''].join(':'),
      HOME: join(this.top, 'home'),
      GIT_CONFIG_NOSYSTEM: '1',
    };
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(this.top, 'origin.git')]);
    this.gitIn(this.repo, 'init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'Ada');
    this.git('config', 'user.email', 'ada@example.invalid');
    this.git('remote', 'add', 'origin', join(this.top, 'origin.git'));
    this.write('base.txt', 'base\n');
    this.commit('init', 'base.txt');
    this.git('push', '-q', '-u', 'origin', 'main');
    this.git('remote', 'set-head', 'origin', 'main');
    if (hostile !== undefined) this.#configure(hostile);
  }

  /** What the user configured, from now on, for the parts alone. */
  #configure({ config, env }: Hostile): void {
    const file = join(this.top, 'home', '.gitconfig');
    for (const setting of [...config, ...('GIT_DIR' in env ? [`core.hooksPath=${failingHooks(this.top)}`] : [])]) {
      execFileSync('git', ['config', '--file', file, ...setting.split(/=(.*)/s, 2)]);
    }
    Object.assign(this.#env, env);
  }

  /** Git as it is out of the box. */
  git(...args: string[]): string {
    return this.gitIn(this.cwd, ...args);
  }

  gitIn(cwd: string, ...args: string[]): string {
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z', GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z' };
    return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], { cwd, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
  }

  write(name: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.cwd, name)), { recursive: true });
    writeFileSync(join(this.cwd, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.cwd, name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(join(this.cwd, name));
  }

  /** Commits files, working files too; gives the id. */
  commit(message: string, ...names: string[]): string {
    this.git('add', '-f', '--', ...names);
    this.git('commit', '-q', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Puts a program on the PATH of the parts. */
  program(name: string, script: string): void {
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${script}`);
    chmodSync(join(this.bin, name), 0o755);
  }

  /** Runs a part as flows do, but under `set -eu`. */
  run(part: string, env: Env = {}, text = shellPart(part)): Ran {
    const [program = '', ...args] = this.#shell.command;
    const ran = spawnSync(program, [...args, '-c', `set -eu\n${text}`], { cwd: this.cwd, env: { ...this.#env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 50_000, maxBuffer: 1e9 });
    return { answer: ran.stdout.replace(/\n$/, ''), stderr: ran.stderr, status: ran.status };
  }

  /** The word that a part answers with. Throws unless that is all that it prints, and it exits with 0. */
  word(part: string, env: Env = {}): string {
    const { answer, status, stderr } = this.run(part, env);
    if (status !== 0 || !/^\S+$/.test(answer)) throw new Error(`${part} ended with ${status} and printed ${JSON.stringify(answer)}. ${stderr}`);
    return answer;
  }

  /** Starts a part in a process group of its own. */
  start(part: string, env: Env = {}): ChildProcess {
    const [program = '', ...args] = this.#shell.command;
    return spawn(program, [...args, '-c', shellPart(part)], { cwd: this.cwd, env: { ...this.#env, ...env }, stdio: 'ignore', detached: true });
  }

  /** What a branch has on the remote: its files, by name; empty when it is not there. */
  pushed(branch: string): string[] {
    try {
      return this.gitIn(join(this.top, 'origin.git'), 'ls-tree', '-r', '-z', '--name-only', branch).split('\0').filter((name) => name !== '');
    } catch {
      return [];
    }
  }
}
