import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

const SLUG = { RELAYFLOW_SLUG: '4-fix' };
const branch = (scratch: Scratch): string => scratch.git('branch', '--show-current');

inEachShell((shell) => {
  test('a branch of its own on the default branch and on a detached HEAD, whatever lies uncommitted', () => {
    for (const detach of [false, true]) {
      const scratch = new Scratch(shell);
      if (detach) scratch.git('checkout', '-q', '--detach');
      scratch.write('base.txt', 'edited\n');
      scratch.write('staged.txt', 'staged\n');
      scratch.git('add', 'staged.txt');
      expect(scratch.word('start', SLUG)).toBe(scratch.git('rev-parse', 'main'));
      expect(branch(scratch)).toBe('relayflow/4-fix');
      expect(scratch.git('status', '--porcelain')).toBe(' M base.txt\nA  staged.txt\n?? .relayflow/');
    }
  });

  test('none on an unborn branch, and the work has a branch all the same', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '--orphan', 'fresh');
    expect([scratch.word('start', SLUG), scratch.git('symbolic-ref', 'HEAD')]).toEqual(['none', 'refs/heads/relayflow/4-fix']);
  });

  test('a name that is free here and on the remote', () => {
    const scratch = new Scratch(shell);
    scratch.git('branch', 'relayflow/4-fix');
    scratch.git('push', '-q', 'origin', 'main:refs/heads/relayflow/4-fix-2');
    scratch.word('start', SLUG);
    expect(branch(scratch)).toBe('relayflow/4-fix-3');
  });

  test('a name beside a branch that is called relayflow', () => {
    const scratch = new Scratch(shell);
    scratch.git('branch', 'relayflow');
    scratch.word('start', SLUG);
    expect(branch(scratch)).toBe('relayflow-4-fix');
  });

  test('the merge base on a branch with commits of its own, and its name when a tag has the same', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'topic');
    scratch.git('tag', 'topic');
    scratch.write('a.txt', 'a\n');
    scratch.commit('a', 'a.txt');
    expect(scratch.word('start', SLUG)).toBe(scratch.git('rev-parse', 'main'));
    expect(branch(scratch)).toBe('topic');
    expect(scratch.word('push')).toBe('pushed');
    expect(scratch.pushed('refs/heads/topic')).toEqual(['a.txt', 'base.txt']);
  });

  test('a default branch that only the remote names', () => {
    const scratch = new Scratch(shell);
    scratch.git('push', '-q', 'origin', 'main:develop');
    scratch.gitIn(join(scratch.top, 'origin.git'), 'symbolic-ref', 'HEAD', 'refs/heads/develop');
    scratch.git('remote', 'set-head', 'origin', '--delete');
    scratch.git('checkout', '-q', '-b', 'develop');
    scratch.word('start', SLUG);
    expect(branch(scratch)).toBe('relayflow/4-fix');
  });

  test('without a remote: main gets a branch, another stays', () => {
    const scratch = new Scratch(shell);
    scratch.git('remote', 'remove', 'origin');
    scratch.git('checkout', '-q', '-b', 'mine');
    expect([scratch.word('start', SLUG), branch(scratch)]).toEqual([scratch.git('rev-parse', 'HEAD'), 'mine']);
    scratch.git('checkout', '-q', 'main');
    expect([scratch.word('start', SLUG), branch(scratch)]).toEqual([scratch.git('rev-parse', 'HEAD'), 'relayflow/4-fix']);
  });

  test('a shallow clone is deepened until it knows', () => {
    const scratch = new Scratch(shell);
    const fork = scratch.git('rev-parse', 'HEAD');
    for (const name of ['main', 'topic']) {
      scratch.git('checkout', '-q', '-B', name, fork);
      for (let count = 0; count < 70; count += 1) scratch.git('commit', '-q', '--allow-empty', '-m', `${name} ${count}`);
      scratch.git('push', '-q', 'origin', name);
    }
    const clone = join(scratch.top, 'clone');
    execFileSync('git', ['clone', '-q', '--depth', '1', '--no-single-branch', '-b', 'topic', `file://${join(scratch.top, 'origin.git')}`, clone], { stdio: 'ignore' });
    scratch.cwd = clone;
    expect(scratch.word('start', SLUG)).toBe(fork);
  });

  test('a shallow clone without its remote says so, and takes its newest commit', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'topic');
    scratch.git('commit', '-q', '--allow-empty', '-m', 'x');
    scratch.git('push', '-q', 'origin', 'topic');
    const clone = join(scratch.top, 'clone');
    execFileSync('git', ['clone', '-q', '--depth', '1', '--no-single-branch', '-b', 'topic', `file://${join(scratch.top, 'origin.git')}`, clone], { stdio: 'ignore' });
    scratch.cwd = clone;
    scratch.git('remote', 'set-url', 'origin', '/nonexistent');
    const { answer, stderr } = scratch.run('start', SLUG);
    expect([answer, /this clone is too shallow to find the base/.test(stderr)]).toEqual([scratch.git('rev-parse', 'HEAD'), true]);
  });

  test('submodules that are missing and files that are only pointers are named', () => {
    const scratch = new Scratch(shell);
    scratch.git('submodule', '--quiet', 'add', join(scratch.top, 'origin.git'), 'sub module');
    scratch.write('.gitattributes', '*.bin filter=lfs\n');
    scratch.write('real.bin', 'bytes\n');
    scratch.write('small file.bin', `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 1\n`);
    scratch.commit('x', '.gitattributes', 'real.bin', 'small file.bin', '.gitmodules', 'sub module');
    scratch.git('submodule', '--quiet', 'deinit', '-f', 'sub module');
    const { stderr } = scratch.run('start', SLUG);
    expect(stderr).toContain('relayflow: the submodule sub module is not initialised');
    expect(stderr).toContain('relayflow: small file.bin is a pointer to Git LFS');
  });

  test('what an earlier run left says nothing of this one, and is kept', () => {
    const scratch = new Scratch(shell);
    scratch.write('plan.md', 'ours');
    scratch.write('.relayflow/check.sh', 'ours');
    scratch.commit('own', 'plan.md', '.relayflow/check.sh');
    const left = ['summary.md', 'review.clean', '.relayflow/needs-input.md', '.relayflow/withheld-workflows.patch', '.relayflow/check.log'];
    for (const name of left) scratch.write(name, `${name} of before`);
    const kit = ['START-HERE.txt', 'flow-input.json', 'relay-preflight.mjs', 'software-factory.flow.mts'];
    for (const name of kit) scratch.write(name, 'of the kit that starts the run');
    scratch.word('start', SLUG);
    expect(left.filter((name) => scratch.has(name))).toEqual([]);
    expect(kit.filter((name) => !scratch.has(name))).toEqual([]);
    expect(scratch.read('.relayflow/earlier/summary.md')).toBe('summary.md of before');
    expect([scratch.read('plan.md'), scratch.read('.relayflow/check.sh')]).toEqual(['ours', 'ours']);
  });

  test('outside of a repository it fails', () => {
    const scratch = new Scratch(shell);
    scratch.cwd = scratch.bin;
    expect(scratch.word('start', SLUG)).toBe('failed');
  });

  test('it fails where no branch can be named, and the branch of an earlier run is not taken for that of this one', () => {
    const scratch = new Scratch(shell);
    scratch.git('branch', 'earlier');
    scratch.write('.relayflow/head.ref', 'refs/heads/earlier\n');
    scratch.write('.git/HEAD.lock', '');
    expect([scratch.word('start', SLUG), scratch.has('.relayflow/head.ref')]).toEqual(['failed', false]);
    scratch.write('a.txt', 'a\n');
    rmSync(join(scratch.repo, '.git/HEAD.lock'));
    scratch.commit('a', 'a.txt');
    expect([scratch.word('change-check', { RELAYFLOW_BASE: 'HEAD~1' }), branch(scratch)]).toEqual(['changed', 'main']);
    expect(scratch.git('rev-parse', 'earlier')).toBe(scratch.git('rev-parse', 'HEAD~1'));
  });
});
