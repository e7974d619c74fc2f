import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A folder with git repositories for one test. */
export class GitScene {
  readonly folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'relay-runner-')));
  readonly home = path.join(this.folder, 'home');
  /** The environment of every git here: nothing of the person who runs the tests. */
  readonly env: Readonly<Record<string, string>>;

  constructor(globalConfig = '') {
    mkdirSync(this.home);
    writeFileSync(path.join(this.folder, 'gitconfig'), `[user]\nname = Tess\nemail = tess@example.com\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n${globalConfig}`);
    this.env = { PATH: process.env['PATH'] ?? '', HOME: this.home, GIT_CONFIG_GLOBAL: path.join(this.folder, 'gitconfig'), GIT_CONFIG_NOSYSTEM: '1' };
  }

  path(...names: readonly string[]): string {
    return path.join(this.folder, ...names);
  }

  git(at: string, ...args: readonly string[]): string {
    return execFileSync('git', ['-C', at, ...args], { env: { ...this.env, LC_ALL: 'C' }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
  }

  /** A repository with one commit. */
  repository(name: string, ...initArgs: readonly string[]): string {
    const at = this.path(name);
    mkdirSync(at, { recursive: true });
    this.git(at, 'init', '--quiet', ...initArgs);
    this.commit(at, 'README.md', 'Hello\n');
    return at;
  }

  /** Writes and commits a file; answers with the commit. */
  commit(at: string, file: string, text: string): string {
    mkdirSync(path.dirname(path.join(at, file)), { recursive: true });
    writeFileSync(path.join(at, file), text);
    this.git(at, 'add', '--', file);
    this.git(at, 'commit', '--quiet', '-m', `Write ${file}`);
    return this.git(at, 'rev-parse', 'HEAD');
  }

  /** A bare repository that `at` has as its remote `origin`, with its branch pushed. */
  remote(at: string, name = 'origin.git'): string {
    const bare = this.path(name);
    mkdirSync(bare);
    this.git(bare, 'init', '--quiet', '--bare');
    this.git(at, 'remote', 'add', 'origin', bare);
    this.git(at, 'push', '--quiet', '-u', 'origin', 'HEAD');
    this.git(at, 'remote', 'set-head', 'origin', '--auto');
    return bare;
  }

  clear(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
