import { chmodSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

type Row = readonly [what: string, act: (scratch: Scratch) => void, token: string];

const ROWS: readonly Row[] = [
  ['nothing', () => undefined, 'unchanged'],
  ['a commit', (s) => { s.write('a.txt', 'a'); s.commit('a', 'a.txt'); }, 'changed'],
  ['an empty commit', (s) => { s.git('commit', '-q', '--allow-empty', '-m', 'x'); }, 'unchanged'],
  ['a staged edit', (s) => { s.write('base.txt', 'x'); s.git('add', 'base.txt'); }, 'changed'],
  ['an unstaged edit', (s) => s.write('base.txt', 'x'), 'changed'],
  ['a file that was touched', (s) => utimesSync(join(s.repo, 'base.txt'), 1, 1), 'unchanged'],
  ['an edit that was staged and undone', (s) => { s.write('base.txt', 'x'); s.git('add', 'base.txt'); s.write('base.txt', 'base\n'); }, 'unchanged'],
  ['a commit that was reverted', (s) => { s.write('a.txt', 'a'); s.commit('a', 'a.txt'); s.git('revert', '--no-edit', 'HEAD'); }, 'unchanged'],
  ['a rename', (s) => { s.git('mv', 'base.txt', 'other.txt'); s.git('commit', '-qm', 'mv'); }, 'changed'],
  ['a rename to a working file', (s) => { s.git('mv', 'base.txt', 'summary.md'); s.git('commit', '-qm', 'mv'); }, 'changed'],
  ['a mode that only the index has', (s) => { s.git('update-index', '--chmod=+x', 'base.txt'); }, 'unchanged'],
  ['a file that was deleted', (s) => { s.git('rm', '-q', 'base.txt'); }, 'changed'],
  ['a mode', (s) => { chmodSync(join(s.repo, 'base.txt'), 0o755); s.commit('x', 'base.txt'); }, 'changed'],
  ['working files that were committed', (s) => { s.write('summary.md', 'x'); s.write('.relayflow/a/b', 'x'); s.commit('x', 'summary.md', '.relayflow/a/b'); s.write('summary.md', 'y'); }, 'unchanged'],
  ['working files that were staged', (s) => { s.write('plan.md', 'x'); s.git('add', 'plan.md'); }, 'unchanged'],
  ['a file of such a name elsewhere', (s) => { s.write('docs/summary.md', 'x'); s.commit('x', 'docs/summary.md'); }, 'changed'],
  ['files that nobody added', (s) => { for (const n of 'abcdefg') s.write(`${n}.txt`, n); }, 'unchanged'],
  ['a link in place of a file', (s) => { s.run('', {}, 'rm base.txt'); symlinkSync('elsewhere', join(s.repo, 'base.txt')); }, 'changed'],
];

inEachShell((shell) => {
  test.each(ROWS)('%s', (_what, act, token) => {
    const scratch = new Scratch(shell);
    const base = scratch.git('rev-parse', 'HEAD');
    act(scratch);
    expect(scratch.word('change-check', { RELAYFLOW_BASE: base })).toBe(token);
  });

  test('a repository that has a summary.md and .relayflow/check.sh of its own', () => {
    const scratch = new Scratch(shell);
    scratch.write('summary.md', 'ours');
    scratch.write('.relayflow/check.sh', 'true');
    const base = scratch.commit('own', 'summary.md', '.relayflow/check.sh');
    scratch.write('.relayflow/check.sh', 'false');
    expect(scratch.word('change-check', { RELAYFLOW_BASE: base })).toBe('unchanged');
    scratch.write('summary.md', 'edited');
    expect(scratch.word('change-check', { RELAYFLOW_BASE: base })).toBe('changed');
  });

  test('a submodule: another commit counts, what lies around in it does not', () => {
    const scratch = new Scratch(shell);
    scratch.git('submodule', '--quiet', 'add', join(scratch.top, 'origin.git'), 'sub');
    const base = scratch.commit('sub', 'sub', '.gitmodules');
    scratch.write('sub/artefact.o', 'x');
    expect(scratch.word('change-check', { RELAYFLOW_BASE: base })).toBe('unchanged');
    scratch.gitIn(join(scratch.repo, 'sub'), '-c', 'user.name=A', '-c', 'user.email=a@b.invalid', 'commit', '-q', '--allow-empty', '-m', 'x');
    expect(scratch.word('change-check', { RELAYFLOW_BASE: base })).toBe('changed');
  });

  test('five of the files that nobody added are named', () => {
    const scratch = new Scratch(shell);
    for (const name of ['a b', 'ünï', "it's", 'd', 'e', 'f']) scratch.write(name, 'x');
    const { stderr } = scratch.run('change-check', { RELAYFLOW_BASE: scratch.git('rev-parse', 'HEAD') });
    expect(stderr.match(/^relayflow: not added: /gm)).toHaveLength(5);
    expect(stderr).toContain(': a b\n');
  });

  test.each([[''], ['0'.repeat(40)], ['not a commit'], ['--help']])('unknown for the base %j', (base) => {
    expect(new Scratch(shell).word('change-check', { RELAYFLOW_BASE: base })).toBe('unknown');
  });

  test('unknown outside of a repository, and in one that is broken', () => {
    const scratch = new Scratch(shell);
    const base = scratch.git('rev-parse', 'HEAD');
    scratch.write('.git/index', 'rubbish');
    expect(scratch.word('change-check', { RELAYFLOW_BASE: base })).toBe('unknown');
    scratch.cwd = scratch.bin;
    expect(scratch.word('change-check', { RELAYFLOW_BASE: base })).toBe('unknown');
  });
});
