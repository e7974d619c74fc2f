import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell, type Shell } from './shells.js';

/** A branch `work` that breaks what the script checks. */
function broken(shell: Shell, script = 'grep -qx base base.txt'): { scratch: Scratch; env: Readonly<Record<string, string>> } {
  const scratch = new Scratch(shell);
  const base = scratch.git('rev-parse', 'HEAD');
  scratch.git('checkout', '-q', '-b', 'work');
  scratch.word('exclude', { RELAYFLOW_RUN_ID: 'r' });
  scratch.write('base.txt', 'broken\n');
  scratch.commit('break', 'base.txt');
  scratch.write('.relayflow/check.sh', script);
  return { scratch, env: { RELAYFLOW_BASE: base, RELAYFLOW_CHECK_LIMIT: '40' } };
}

const where = (scratch: Scratch): readonly string[] => [scratch.git('symbolic-ref', 'HEAD'), scratch.read('base.txt'), scratch.git('status', '--porcelain'), scratch.git('worktree', 'list').split('\n').length.toString()];
const AT_HOME = ['refs/heads/work', 'broken\n', '', '1'];

inEachShell((shell) => {
  test.each([
    ['grep -qx base base.txt', 'pass'],
    ['exit 1', 'fail'],
    ['no-such-program-here', 'unrunnable'],
    ['echo mess >base.txt; echo x >new.txt; git add new.txt; exit 1', 'fail'],
    ['rm -rf base.txt .relayflow/check.sh; exit 1', 'fail'],
    ['git checkout -q -b elsewhere; exit 1', 'fail'],
    ['', 'unknown'],
  ])('in place: %s: %s', (script, token) => {
    const { scratch, env } = broken(shell, script);
    expect(scratch.word('base-check', env)).toBe(token);
    expect(where(scratch).slice(0, 2)).toEqual(AT_HOME.slice(0, 2));
    expect(scratch.read('.relayflow/check.sh')).toBe(script);
    expect(scratch.has('.relayflow/base-check.restore')).toBe(false);
  });

  test('at its limit, and back all the same', () => {
    const { scratch, env } = broken(shell, 'sleep 1000');
    expect(scratch.word('base-check', { ...env, RELAYFLOW_CHECK_LIMIT: '1' })).toBe('timeout');
    expect(where(scratch)).toEqual(AT_HOME);
  });

  test('unfinished work stays untouched: in a worktree that is gone afterwards', () => {
    const { scratch, env } = broken(shell, 'pwd >&2; grep -qx base base.txt');
    scratch.write('base.txt', 'unfinished\n');
    scratch.write('staged.txt', 'staged\n');
    scratch.git('add', 'staged.txt');
    expect(scratch.word('base-check', env)).toBe('pass');
    expect(where(scratch)).toEqual(['refs/heads/work', 'unfinished\n', ' M base.txt\nA  staged.txt', '1']);
    expect(scratch.read('.relayflow/base-check.log')).toContain('base-check.tree');
    expect(scratch.has('.relayflow/base-check.tree')).toBe(false);
  });

  test('a file that is ignored here and tracked there is not written over', () => {
    const { scratch, env } = broken(shell);
    scratch.git('checkout', '-q', env['RELAYFLOW_BASE'] ?? '');
    scratch.write('.env', 'theirs');
    const base = scratch.commit('env', '.env');
    scratch.git('checkout', '-q', 'work');
    scratch.write('.gitignore', '.env\n');
    scratch.commit('ignore', '.gitignore');
    scratch.write('.env', 'mine');
    expect(scratch.word('base-check', { ...env, RELAYFLOW_BASE: base })).toBe('pass');
    expect(scratch.read('.env')).toBe('mine');
    expect(where(scratch)).toEqual(AT_HOME);
  });

  test('a repository that commits its check script: the branch has the one that counts', () => {
    const { scratch, env } = broken(shell, 'exit 1');
    scratch.git('checkout', '-q', '-B', 'other', env['RELAYFLOW_BASE'] ?? '');
    scratch.write('.relayflow/check.sh', 'exit 0');
    const base = scratch.commit('own', '.relayflow/check.sh');
    scratch.git('checkout', '-q', '-b', 'edited');
    scratch.write('.relayflow/check.sh', 'exit 5');
    scratch.commit('edit', '.relayflow/check.sh');
    expect(scratch.word('base-check', { ...env, RELAYFLOW_BASE: base })).toBe('fail');
    expect(scratch.read('.relayflow/base-check.exit')).toBe('5\n');
    expect([scratch.read('.relayflow/check.sh'), scratch.git('status', '--porcelain')]).toEqual(['exit 5', '']);
  });

  test('usual checks that the base has none of are new', () => {
    const { scratch, env } = broken(shell, 'make test');
    scratch.write('Makefile', 'test:\n\tfalse\n');
    scratch.commit('make', 'Makefile');
    expect(scratch.word('base-check', { ...env, RELAYFLOW_CHECK_SOURCE: 'default' })).toBe('none');
    expect(scratch.word('base-check', env)).toBe('fail');
    expect(where(scratch)).toEqual(AT_HOME);
  });

  test('unknown without a base, without a commit, outside of a repository', () => {
    const { scratch, env } = broken(shell);
    expect(scratch.word('base-check')).toBe('unknown');
    scratch.git('checkout', '-q', '--orphan', 'fresh');
    expect(scratch.word('base-check', env)).toBe('unknown');
    scratch.cwd = scratch.bin;
    expect(scratch.word('base-check', env)).toBe('unknown');
  });

  test('killed while the base is checked out: every part that reads HEAD comes back first', async () => {
    const parts = shell.name === 'dash' ? ['publish-check', 'drop', 'push', 'check-run', 'check-resolve', 'base-check', 'start', 'open-change'] : [];
    for (const part of ['change-check', ...parts]) {
      const { scratch, env } = broken(shell, 'test -e quick && exit 0; : >reached; rm .relayflow/check.sh; sleep 1000');
      const child = scratch.start('base-check', env);
      const ended = once(child, 'exit');
      await vi.waitFor(() => {
        if (!existsSync(join(scratch.repo, 'reached')) || !/^\d+\n/.test(scratch.read('.relayflow/base-check.group'))) throw new Error('not yet');
      }, { timeout: 60_000, interval: 20 });
      process.kill(-Number(child.pid), 'SIGKILL');
      await ended;
      expect(() => scratch.git('symbolic-ref', '-q', 'HEAD')).toThrow();
      // What the checks left is as a runtime's sweep leaves it.
      process.kill(-Number(scratch.read('.relayflow/base-check.group')), 'SIGKILL');
      scratch.write('quick', '');

      const word = scratch.word(part, env);
      expect(word).not.toBe('unchanged');
      expect(where(scratch).slice(0, 2), part).toEqual(AT_HOME.slice(0, 2));
      // A new run leaves the script of the one before aside.
      expect(scratch.read(`.relayflow/${part === 'start' ? 'earlier/' : ''}check.sh`)).toContain('reached');
    }
  });

  test('killed, and somebody goes to another branch: back, without throwing their work away', () => {
    const { scratch, env } = broken(shell);
    scratch.write('.relayflow/base-check.restore', `${scratch.git('rev-parse', 'HEAD')} work\n`);
    scratch.git('checkout', '-q', 'main');
    expect(scratch.word('change-check', env)).toBe('changed');
    expect(scratch.git('symbolic-ref', 'HEAD')).toBe('refs/heads/work');
    scratch.write('.relayflow/base-check.restore', `${scratch.git('rev-parse', 'HEAD')} work\n`);
    scratch.git('checkout', '-q', 'main');
    scratch.write('base.txt', 'theirs\n');
    expect(scratch.word('change-check', env)).toBe('unknown');
    expect(scratch.read('base.txt')).toBe('theirs\n');
  });

  test('a lock that a killed git left is removed, unless somebody has it open', () => {
    const { scratch, env } = broken(shell);
    scratch.write('.git/index.lock', '');
    expect(scratch.run('base-check', env).stderr).toMatch(/^relayflow: removed .*\/\.git\/index\.lock/m);
    expect(scratch.has('.git/index.lock')).toBe(false);
    const lock = join(scratch.repo, '.git', 'index.lock');
    const held = openSync(lock, 'w');
    scratch.word('publish-check', env);
    expect(existsSync(lock)).toBe(true);
    closeSync(held);
    scratch.word('publish-check', env);
    expect(existsSync(lock)).toBe(false);
  });
});
