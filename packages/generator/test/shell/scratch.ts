import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { shellPart } from '../../src/shell/parts.js';
import type { Hostile } from './hostile.js';
import { failingHooks } from './hostile.js';
import type { Shell } from './shells.js';

/** Without the helpers of a host, which npm and npx put on the PATH of what they run: a test that means them puts them there. */
const PATH = (process.env['PATH'] ?? '').split(':').filter((folder) => !existsSync(`${folder || '.'}/relayflow-open-change`)).join(':');

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

let made: string | undefined;

/** The repository and its origin as every scratch begins, made once. */
function template(): string {
  if (made !== undefined) return made;
  made = mkdtempSync(join(tmpdir(), 'relayflows-template-'));
  const folder = made;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  execFileSync('sh', ['-ec', `
    git init -q --bare -b main origin.git
    git init -q -b main repo
    # Half of the files that would be copied for each test.
    rm -f origin.git/hooks/*.sample repo/.git/hooks/*.sample
    cd repo
    git config user.name Ada
    git config user.email ada@example.invalid
    git remote add origin ../origin.git
    echo base >base.txt
    git add base.txt
    git commit -q -m init
    git push -q -u origin main
    git remote set-head origin main`], { cwd: folder, env: PLAIN, stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

/** Git as it is out of the box. */
const PLAIN = {
  PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z', GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
};

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
    for (const needed of [this.bin, this.cwd, join(this.top, 'home')]) mkdirSync(needed, { recursive: true });
    this.#env = {
      PATH: [this.bin, ...shell.path, PATH].join(':'),
      HOME: join(this.top, 'home'),
      GIT_CONFIG_NOSYSTEM: '1',
    };
    cpSync(join(template(), 'origin.git'), join(this.top, 'origin.git'), { recursive: true });
    cpSync(join(template(), 'repo'), this.repo, { recursive: true });
    writeFileSync(join(this.repo, '.git', 'config'), readFileSync(join(this.repo, '.git', 'config'), 'utf8').replace('url = ../origin.git', `url = ${join(this.top, 'origin.git')}`));
    if (folder !== '') {
      // What a flow works on lies where it runs.
      renameSync(join(this.repo, 'base.txt'), join(this.cwd, 'base.txt'));
      this.git('add', '-A', ':/');
      this.git('commit', '-q', '-m', 'move');
      this.git('push', '-q', 'origin', 'main');
    }
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
    return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], { cwd, encoding: 'utf8', env: PLAIN, stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
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
    const ran = spawnSync(program, [...args, '-c', `set -eu\n${text}`], { cwd: this.cwd, env: { ...this.#env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 150_000, maxBuffer: 1e9 });
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
