import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

inEachShell((shell) => {
  test('takes out what the base lacks, in one commit, and leaves everything unfinished as it is', () => {
    const scratch = new Scratch(shell);
    scratch.write('summary.md', 'ours\n');
    scratch.write('.relayflow/check.sh', 'true\n');
    const base = scratch.commit('own', 'summary.md', '.relayflow/check.sh');
    const names = ['plan.md', '.relayflow/a\nb', '.relayflow/-x/ü "q"', 'review.clean'];
    for (const name of names) scratch.write(name, 'x\n');
    scratch.write('summary.md', 'edited\n');
    scratch.write('kept\nfile', 'x\n');
    const before = scratch.commit('work', 'summary.md', 'kept\nfile', ...names);
    scratch.write('staged.txt', 'staged\n');
    scratch.git('add', 'staged.txt');
    scratch.write('base.txt', 'unfinished\n');

    const { answer, stderr } = scratch.run('drop', { RELAYFLOW_BASE: base });
    expect(answer).toBe('done');
    expect(stderr).toMatch(/^relayflow: left out of the branch: .*plan\.md.*\n$/);
    expect(scratch.git('rev-parse', 'HEAD^')).toBe(before);
    expect(scratch.git('diff', '-z', '--name-only', base, 'HEAD').split('\0')).toEqual(['kept\nfile', 'summary.md', '']);
    expect(names.filter((name) => !scratch.has(name))).toEqual([]);
    expect(scratch.git('status', '--porcelain', '--untracked-files=no')).toBe(' M base.txt\nA  staged.txt');
    expect(scratch.read('base.txt')).toBe('unfinished\n');
    expect(scratch.git('show', '-s', '--format=%an %cn')).toBe('Ada Ada');
    const head = scratch.git('rev-parse', 'HEAD');
    scratch.word('drop', { RELAYFLOW_BASE: base });
    expect(scratch.git('rev-parse', 'HEAD')).toBe(head);
    expect(scratch.run('', {}, 'ls .relayflow/drop*').answer).toBe('');
  });

  test('in a linked worktree, in the name of the flow when nobody is known', () => {
    const scratch = new Scratch(shell);
    const base = scratch.git('rev-parse', 'HEAD');
    scratch.git('worktree', 'add', '-q', '-b', 'linked', '../linked');
    scratch.cwd = `${scratch.top}/linked`;
    scratch.write('summary.md', 'x');
    scratch.commit('x', 'summary.md');
    scratch.git('config', 'user.useConfigOnly', 'true');
    scratch.git('config', '--unset', 'user.name');
    scratch.git('config', '--unset', 'user.email');
    scratch.word('drop', { RELAYFLOW_BASE: base });
    expect(scratch.git('show', '-s', '--format=%an <%ae> %cn')).toBe('relayflow <relayflow@localhost> relayflow');
    expect(scratch.git('diff', '--name-only', base, 'HEAD')).toBe('');
    expect(scratch.git('status', '--porcelain')).toBe('?? summary.md');
  });

  test('on a detached HEAD', () => {
    const scratch = new Scratch(shell);
    const base = scratch.git('rev-parse', 'HEAD');
    scratch.git('checkout', '-q', '--detach');
    scratch.write('summary.md', 'x');
    scratch.commit('x', 'summary.md');
    scratch.word('drop', { RELAYFLOW_BASE: base });
    expect(scratch.git('diff', '--name-only', base, 'HEAD')).toBe('');
    expect(scratch.git('rev-parse', 'main')).toBe(base);
  });

  test.each([[''], ['0'.repeat(40)]])('says so for the base %j', (base) => {
    const { answer, stderr } = new Scratch(shell).run('drop', { RELAYFLOW_BASE: base });
    expect([answer, stderr]).toEqual(['done', 'relayflow: working files could not be taken out\n']);
  });

  test('whether there is something to publish', () => {
    const scratch = new Scratch(shell);
    const env = { RELAYFLOW_BASE: scratch.git('rev-parse', 'HEAD') };
    const words: string[] = [scratch.word('publish-check', env)];
    scratch.git('commit', '-q', '--allow-empty', '-m', 'nothing');
    scratch.write('a.txt', 'not committed');
    words.push(scratch.word('publish-check', env));
    scratch.commit('a', 'a.txt');
    words.push(scratch.word('publish-check', env));
    scratch.write('summary.md', 'What changed.');
    words.push(scratch.word('publish-check', env), scratch.word('publish-check'));
    scratch.git('checkout', '-q', '--orphan', 'fresh');
    words.push(scratch.word('publish-check', env));
    scratch.cwd = scratch.bin;
    words.push(scratch.word('publish-check', env));
    expect(words).toEqual(['no-commits', 'no-commits', 'no-summary', 'publish', 'publish', 'no-commits', 'no-commits']);
  });
});
