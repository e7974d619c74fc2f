import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

inEachShell((shell) => {
  test('the lines stand once, behind what was there, in front of nothing', () => {
    const scratch = new Scratch(shell);
    scratch.write('.git/info/exclude', '*.tmp');
    for (const id of ['1', '2', '2']) scratch.word('exclude', { RELAYFLOW_RUN_ID: id });
    const lines = scratch.read('.git/info/exclude').split('\n');
    expect(lines.slice(0, 3)).toEqual(['*.tmp', '# relayflow begin', '/summary.md']);
    expect(lines.slice(-2)).toEqual(['# relayflow end', '']);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toContain('/.relayflow/');
  });

  test('a run in a folder adds its own, and no file of the same name elsewhere is left out', () => {
    const scratch = new Scratch(shell, { folder: 'a*b' });
    scratch.word('exclude', { RELAYFLOW_RUN_ID: '1' });
    scratch.write('summary.md', 'x');
    scratch.write('../axb/summary.md', 'x');
    scratch.write('../summary.md', 'x');
    expect(scratch.gitIn(scratch.repo, 'status', '--porcelain', '-uall').split('\n')).toEqual(['?? axb/summary.md', '?? summary.md']);
    scratch.cwd = scratch.repo;
    scratch.word('exclude', { RELAYFLOW_RUN_ID: '2' });
    expect(scratch.git('status', '--porcelain', '-uall')).toBe('?? axb/summary.md');
  });

  test('a clone without an exclude file, and one that cannot be written', () => {
    const scratch = new Scratch(shell);
    scratch.git('config', 'core.bare', 'false');
    scratch.run('exclude', {}, 'rm -rf .git/info');
    scratch.word('exclude');
    expect(scratch.read('.git/info/exclude')).toContain('/summary.md');
    scratch.run('exclude', {}, 'rm -rf .git/info; : >.git/info');
    const { answer, stderr } = scratch.run('exclude');
    expect([answer, /could not be excluded/.test(stderr)]).toEqual(['done', true]);
  });
});
