import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

const BRANCH = 'relayflow/4-fix';

/** What an agent does that was told not to switch branches; the work is `a.txt` and, where it is there, `b.txt`. */
const ROWS: readonly (readonly [what: string, act: (commit: (file: string) => void, git: (...args: string[]) => string) => void, pushed: readonly string[]])[] = [
  ['commits on the default branch', (commit, git) => { git('checkout', '-q', 'main'); commit('a.txt'); }, ['a.txt']],
  ['commits on a branch of its own', (commit, git) => { commit('a.txt'); git('checkout', '-q', '-b', 'mine'); commit('b.txt'); }, ['a.txt', 'b.txt']],
  ['commits on no branch', (commit, git) => { git('checkout', '-q', '--detach'); commit('a.txt'); }, ['a.txt']],
  ['renames the branch', (commit, git) => { commit('a.txt'); git('branch', '-m', 'better'); }, ['a.txt']],
  ['goes back to the default branch behind its work', (commit, git) => { commit('a.txt'); git('checkout', '-q', 'main'); }, ['a.txt']],
  ['leaves another beginning on the default branch', (commit, git) => { commit('a.txt'); git('checkout', '-q', 'main'); commit('b.txt'); }, ['a.txt']],
];

function begun(scratch: Scratch): { readonly base: string; readonly commit: (file: string) => void; readonly git: (...args: string[]) => string } {
  const base = scratch.word('start', { RELAYFLOW_SLUG: '4-fix' });
  return {
    base,
    commit: (file) => {
      scratch.write(file, file);
      scratch.commit(file, file);
    },
    git: (...args) => scratch.git(...args),
  };
}

inEachShell((shell) => {
  test.each(ROWS)('an agent that %s: the work is seen, and goes to its branch alone', (_what, act, pushed) => {
    const scratch = new Scratch(shell);
    const { base, commit, git } = begun(scratch);
    act(commit, git);
    const commits = git('rev-list', '--all').split('\n');
    const env = { RELAYFLOW_BASE: base };
    expect([scratch.word('change-check', env), scratch.word('push', env)]).toEqual(['changed', 'pushed']);
    expect(git('branch', '--show-current')).toBe(BRANCH);
    expect(scratch.pushed(BRANCH)).toEqual([...pushed, 'base.txt'].sort());
    expect(git('ls-remote', '--heads', 'origin').split('\n').map((line) => line.split('\t')[1])).toEqual(['refs/heads/main', `refs/heads/${BRANCH}`]);
    expect(git('ls-remote', 'origin', 'refs/heads/main').split('\t')[0]).toBe(base);
    // Nothing that was committed is lost.
    expect(git('rev-list', '--all').split('\n')).toEqual(expect.arrayContaining(commits));
  });

  test('a reviewer that left the branch: what stands in the way is told of the change of the branch', () => {
    const scratch = new Scratch(shell);
    const { commit, git } = begun(scratch);
    commit('a.txt');
    git('checkout', '-q', '--detach', 'main');
    scratch.program('relayflow-change', '#!/bin/sh\n[ "$1" != draft ] || git branch --show-current >of.txt\n');
    expect(scratch.run('review-blocked', { RELAYFLOW_OUTCOME: 'Bad name.' })).toMatchObject({ answer: 'done', stderr: '' });
    expect(scratch.read('of.txt')).toBe(`${BRANCH}\n`);
  });

  test('what is not committed comes along, and where it cannot, nothing is pushed', () => {
    const scratch = new Scratch(shell);
    const { base, commit, git } = begun(scratch);
    commit('a.txt');
    git('checkout', '-q', 'main');
    scratch.write('base.txt', 'edited\n');
    const env = { RELAYFLOW_BASE: base };
    expect([scratch.word('change-check', env), scratch.read('base.txt'), git('branch', '--show-current')]).toEqual(['changed', 'edited\n', BRANCH]);
    git('commit', '-q', '-a', '-m', 'edit');
    git('checkout', '-q', 'main');
    scratch.write('base.txt', 'edited otherwise\n');
    expect([scratch.word('change-check', env), scratch.word('push', env), scratch.read('base.txt')]).toEqual(['unknown', 'failed', 'edited otherwise\n']);
    expect(scratch.pushed(BRANCH)).toEqual([]);
  });
});
