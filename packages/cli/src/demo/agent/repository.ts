import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Git without the configuration of whoever watches the demo. */
export function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'inherit'] }).trimEnd();
}

export function trackedFiles(): readonly string[] {
  return git('ls-files', '-z').split('\0').filter((path) => path !== '');
}

export interface TestRun {
  readonly total: number;
  readonly failing: readonly { readonly name: string; /** Relative to the repository. */ readonly file: string }[];
}

/** Runs the tests and tells which fail. */
export function runTests(): TestRun {
  const { stdout } = spawnSync('node', ['--test', '--test-reporter=tap'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const failing = [...stdout.matchAll(/^ *not ok \d+ - (.*)\n(?: +---\n(?: .*\n)*?)? +location: '(.*?):\d+:\d+'/gm)].map(([, name = '', path = '']) => ({
    name: name.trim(),
    file: path.startsWith(process.cwd()) ? path.slice(process.cwd().length + 1) : path,
  }));
  return { total: Number(/^# tests (\d+)$/m.exec(stdout)?.[1] ?? 0), failing };
}

/** The modules of the repository that a file imports. */
export function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => normalize(join(dirname(file), path)));
}

