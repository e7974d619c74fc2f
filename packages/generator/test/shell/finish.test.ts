import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

const run = (id: string): Readonly<Record<string, string>> => ({ RELAYFLOW_RUN_ID: id });
const excluded = (scratch: Scratch): string => scratch.gitIn(scratch.repo, 'rev-parse', '--git-path', 'info/exclude');
const file = (scratch: Scratch): string => scratch.run('', {}, `cat '${join(scratch.repo, excluded(scratch))}'`).answer;

inEachShell((shell) => {
  test('the last run of a clone takes the lines out, also one of a linked worktree', () => {
    const scratch = new Scratch(shell);
    scratch.write('.git/info/exclude', '*.tmp\n');
    scratch.git('worktree', 'add', '-q', '--detach', '../linked');
    scratch.word('exclude', run('1'));
    scratch.cwd = join(scratch.top, 'linked');
    scratch.word('exclude', run('2'));
    expect(scratch.word('finish', run('2'))).toBe('done');
    scratch.cwd = scratch.repo;
    expect(file(scratch)).toContain('# relayflow begin\n/summary.md\n');
    expect(scratch.word('finish', run('1'))).toBe('done');
    expect(file(scratch)).toBe('*.tmp');
    expect(scratch.word('finish', run('1'))).toBe('done');
    scratch.word('exclude', run('3'));
    expect(file(scratch)).toContain('/summary.md');
  });

  test('a run that died does not keep them for ever, one of a moment ago does', () => {
    const scratch = new Scratch(shell);
    const runs = join(scratch.repo, '.git/relayflow/runs');
    for (const id of ['died', 'lives', 'mine']) scratch.word('exclude', run(id));
    utimesSync(join(runs, 'died'), 1, 1);
    scratch.word('finish', run('mine'));
    expect([readdirSync(runs), file(scratch).includes('/summary.md')]).toEqual([['lives'], true]);
    utimesSync(join(runs, 'lives'), 1, 1);
    scratch.word('finish', run('another'));
    expect(file(scratch)).not.toContain('relayflow');
  });

  test('what is left of a comparison with the base that was killed is removed', () => {
    const scratch = new Scratch(shell);
    scratch.word('exclude', run('1'));
    scratch.git('worktree', 'add', '-q', '--detach', '.relayflow/base-check.tree');
    scratch.word('finish', run('1'));
    expect([scratch.has('.relayflow/base-check.tree'), scratch.git('worktree', 'list').split('\n').length]).toEqual([false, 1]);
  });

  test('outside of a repository there is nothing to end', () => {
    const scratch = new Scratch(shell);
    scratch.cwd = scratch.bin;
    expect(scratch.word('finish')).toBe('done');
  });

  test('a check script is kept until CI files, lockfiles or manifests change, and no other file', () => {
    const scratch = new Scratch(shell);
    const store = { RELAYFLOW_REMEMBER: '1' };
    const find = (): string => {
      scratch.run('', {}, 'rm -f .relayflow/check.sh');
      return scratch.word('check-remember');
    };
    scratch.write('package.json', '{}');
    scratch.commit('x', 'package.json');
    expect([find(), scratch.word('check-remember', store)]).toEqual(['none', 'none']);
    scratch.write('.relayflow/check.sh', 'make\n');
    expect(scratch.word('check-remember', store)).toBe('remembered');
    scratch.write('src/block.ts', 'x');
    scratch.commit('y', 'src/block.ts');
    expect([find(), scratch.read('.relayflow/check.sh')]).toEqual(['restored', 'make\n']);
    for (const name of ['package.json', 'packages/a/pnpm-lock.yaml', '.github/workflows/ci.yml', 'Cargo.lock', 'go.sum', 'requirements-dev.txt', '.gitlab-ci.yml', 'sub/Makefile']) {
      scratch.write(name, `${name} changed`);
      scratch.commit(name, name);
      expect(find(), name).toBe('none');
      scratch.write('.relayflow/check.sh', 'make\n');
      scratch.word('check-remember', store);
    }
    scratch.git('worktree', 'add', '-q', '--detach', '../linked');
    scratch.cwd = join(scratch.top, 'linked');
    expect(find()).toBe('restored');
  });
});
