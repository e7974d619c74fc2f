import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOSTILE } from './hostile.js';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

/** Everything that a name of a file or a folder can hold. */
export const ODD = '-a b/quo\'te"s/new\nline/ünï–何/[glob]*?/back\\slash/a=b/$(touch evil)`touch evil`';

/** The parts in the order of a flow, on a branch that adds a file and commits a working file with it. */
function live(scratch: Scratch): void {
  const base = scratch.word('start', { RELAYFLOW_SLUG: '4-fix' });
  const env = { RELAYFLOW_BASE: base, RELAYFLOW_RUN_ID: 'run-1', RELAYFLOW_TITLE: 'Fix it', RELAYFLOW_REFERENCE: 'Fixes #4', RELAYFLOW_CHECK_LIMIT: '30' };
  expect(base).toBe(scratch.git('rev-parse', 'HEAD'));
  expect(scratch.git('symbolic-ref', 'HEAD')).toBe('refs/heads/relayflow/4-fix');

  expect(scratch.word('exclude', env)).toBe('done');
  for (const name of ['summary.md', '.relayflow/x.log', 'review.md']) scratch.write(name, 'x\n');
  expect(scratch.git('status', '--porcelain', '-uall')).toBe('');
  expect(scratch.word('change-check', env)).toBe('unchanged');

  expect(scratch.word('check-resolve', { ...env, RELAYFLOW_CHECK_COMMAND: 'test ! -e broken.txt' })).toBe('script');
  expect(scratch.word('check-run', env)).toBe('pass');

  scratch.write('broken.txt', 'x\n');
  scratch.commit('Add a file and, by mistake, the summary', 'broken.txt', 'summary.md');
  expect(scratch.word('change-check', env)).toBe('changed');
  expect(scratch.word('check-run', env)).toBe('fail');
  expect(scratch.word('base-check', env)).toBe('pass');
  expect(scratch.git('symbolic-ref', 'HEAD')).toBe('refs/heads/relayflow/4-fix');
  scratch.write('base.txt', 'unfinished\n');
  expect(scratch.word('base-check', env)).toBe('pass');
  expect(scratch.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);

  expect(scratch.word('drop', env)).toBe('done');
  expect(scratch.git('diff', '--name-only', base, 'HEAD', '--', '.').split('\n')).toHaveLength(1);
  expect(scratch.has('summary.md')).toBe(true);
  expect(scratch.read('base.txt')).toBe('unfinished\n');
  expect(scratch.git('diff', '--cached', '--name-only')).toBe('');

  expect(scratch.word('publish-check', env)).toBe('publish');
  const results = { ...env, RELAYFLOW_CHECK_RESULT: 'fail', RELAYFLOW_BASE_RESULT: 'pass', RELAYFLOW_CHECK_SOURCE: 'input' };
  expect(scratch.word('check-report', results)).toBe('written');
  expect(scratch.word('change-metadata', env)).toBe('valid');
  expect(scratch.word('push', env)).toBe('pushed');
  expect(scratch.word('push', env)).toBe('up-to-date');
  expect(scratch.pushed('relayflow/4-fix').filter((name) => name.endsWith('summary.md'))).toEqual([]);

  scratch.program('relayflow-open-change', 'echo https://forge.example/1');
  expect(scratch.word('open-change', env)).toBe('https://forge.example/1');
  scratch.program('relayflow-change', `echo "$@" >>'${scratch.top}/calls'`);
  expect(scratch.word('review-blocked', env)).toBe('done');
  expect(scratch.has('evil')).toBe(false);
}

inEachShell((shell) => {
  test('the whole of a flow, at the root', () => live(new Scratch(shell)));

  test('in a folder whose name holds everything that a name can', () => live(new Scratch(shell, { folder: ODD })));

  test('in a repository whose name does', () => live(new Scratch(shell, { repository: ODD })));

  test('in a linked worktree', () => {
    const scratch = new Scratch(shell);
    scratch.git('worktree', 'add', '-q', '--detach', join(scratch.top, 'linked tree'));
    scratch.cwd = join(scratch.top, 'linked tree');
    const base = scratch.word('start', { RELAYFLOW_SLUG: 'x' });
    scratch.word('exclude', { RELAYFLOW_RUN_ID: 'r' });
    scratch.write('summary.md', 'x\n');
    scratch.write('new.txt', 'x\n');
    scratch.commit('new', 'new.txt');
    scratch.word('check-resolve', { RELAYFLOW_CHECK_COMMAND: 'test ! -e new.txt' });
    expect([base, scratch.git('status', '--porcelain'), scratch.word('base-check', { RELAYFLOW_BASE: base }), scratch.word('push')])
      .toEqual([scratch.git('rev-parse', 'main'), '', 'pass', 'pushed']);
    expect(scratch.git('symbolic-ref', 'HEAD')).toBe('refs/heads/relayflow/x');
  });

  for (const hostile of shell.name === 'dash' ? HOSTILE : HOSTILE.slice(-1)) {
    test(`whatever the user configured: ${hostile.name}`, () => live(new Scratch(shell, { hostile, folder: 'sub' })));
  }
});
