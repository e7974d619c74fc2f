import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Git without the settings of whoever runs the tests. */
export const GIT_ENV = { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' };

export interface Clone {
  /** Holds everything. */
  readonly folder: string;
  readonly cwd: string;
  readonly origin: string;
  git(...args: readonly string[]): string;
  /** Pushes a branch with a commit that no other has, without checking it out. */
  push(branch: string): void;
  remove(): void;
}

/** A clone with a bare origin that has the branches `main` and `develop`. */
export function makeClone(): Clone {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-forge-')));
  const [cwd, origin] = [join(folder, 'clone with blank'), join(folder, 'origin.git')];
  const run = (where: string, ...args: readonly string[]): string => execFileSync('git', args, { cwd: where, env: GIT_ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run(folder, 'init', '-q', '--bare', '-b', 'main', origin);
  run(folder, 'init', '-q', '-b', 'main', cwd);
  const git = (...args: readonly string[]): string => run(cwd, ...args);
  writeFileSync(join(cwd, 'a'), 'a\n');
  git('add', 'a');
  git('commit', '-qm', 'Begin');
  git('remote', 'add', 'origin', origin);
  git('push', '-q', 'origin', 'main', 'main:develop');
  return {
    folder, cwd, origin, git,
    push(branch) {
      const commit = git('commit-tree', '-p', 'main', '-m', `On ${branch}`, 'main^{tree}').trim();
      git('push', '-q', 'origin', `${commit}:refs/heads/${branch}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
