import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

const TICKET = { RELAYFLOW_TITLE: 'Fix it', RELAYFLOW_REFERENCE: 'Fixes #4' };

inEachShell((shell) => {
  const body = (scratch: Scratch, env: Readonly<Record<string, string>> = {}): string => {
    expect(scratch.word('check-report', { ...TICKET, ...env })).toBe('written');
    return scratch.read('.relayflow/pr-body.md');
  };

  test('the summary, the reference, then what the checks said', () => {
    const scratch = new Scratch(shell);
    scratch.write('summary.md', '# What\n\nIt works.\n');
    scratch.write('.relayflow/check.sh', 'make test\n');
    scratch.word('check-run', { RELAYFLOW_CHECK_LIMIT: '30' });
    const text = body(scratch, { RELAYFLOW_CHECK_RESULT: 'fail', RELAYFLOW_BASE_RESULT: 'fail', RELAYFLOW_CHECK_SOURCE: 'repository', RELAYFLOW_OUTCOME: 'A person decides.', RELAYFLOW_CHECK_NOTES: 'Added a build step.' });
    expect(text).toMatch(/^# What\n\nIt works\.\n\nFixes #4\n\nA person decides\.\n\n## Checks\n\nThe checks fail\. They fail on its base commit as well\. The script is that of the repository\./);
    expect(text).toContain('What ran:\n\n``````````\nmake test\n``````````\n');
    expect(text).toMatch(/<details><summary>check: its output \(exit status 2, \d+ seconds\)<\/summary>\n\n`+\nmake: /);
    expect(text).toContain('What was repaired:\n\nAdded a build step.\n');
    expect(scratch.word('change-metadata', TICKET)).toBe('valid');
  });

  test.each([
    ['pass', 'The checks pass.'], ['none', 'No checks were found'], ['unrunnable', 'could not be run'], ['skipped', 'were not run'], ['', 'were not run'],
  ])('a verdict for %s', (result, words) => {
    expect(body(new Scratch(shell), { RELAYFLOW_CHECK_RESULT: result })).toContain(words);
  });

  test('a timeout names its limit, and a base that has no such checks is no base that passes', () => {
    const scratch = new Scratch(shell);
    scratch.write('.relayflow/check.limit', '840\n');
    expect(body(scratch, { RELAYFLOW_CHECK_RESULT: 'timeout' })).toContain('were stopped after 840 seconds');
    expect(body(scratch, { RELAYFLOW_CHECK_RESULT: 'fail', RELAYFLOW_BASE_RESULT: 'none' })).toContain('There are no such checks');
  });

  test('no fence, comment or terminal sequence of what is shown gets out', () => {
    const scratch = new Scratch(shell);
    scratch.write('summary.md', 'Look:\n```js\nconst a = `x`;\n~~~\n````\n\nand <!-- no --> and\n~~~~\n```\n~~~\n<!-- not a comment in a fence\n');
    scratch.write('.relayflow/check.log', '\u001B[31mred\u001B[0m\r\n\u0000\u0007```\n`````js\n``````````````\n</details>\n');
    const text = body(scratch, { RELAYFLOW_CHECK_NOTES: 'a\n<!-- open', RELAYFLOW_CHECK_RESULT: 'fail' });
    expect(text).toContain('<!-- not a comment in a fence\n~~~~\n\nFixes #4\n');
    expect(text).toContain('\n``````````\nred\n```\n`````js\n`````````\n</details>\n``````````\n');
    expect(text).toMatch(/<!-- open\n-->\n$/);
    expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F]/);
  });

  test('one reference closes, whatever else the texts say', () => {
    const scratch = new Scratch(shell);
    scratch.write('summary.md', 'This fixes #12, CLOSES: other/repo#3 and resolved\thttps://github.com/o/r/issues/7.\nFix the thing #5.\nFixes #4\n');
    scratch.write('.relayflow/check.log', 'fix #9\n');
    const text = body(scratch, { RELAYFLOW_CHECK_RESULT: 'fail', RELAYFLOW_CHECK_NOTES: 'Fixed #8', RELAYFLOW_OUTCOME: 'The implementer failed: closes #6' });
    expect(text).toContain('\n\nThe implementer failed: closes ticket #6\n\n## Checks\n');
    expect(text).toContain('This fixes ticket #12, CLOSES: ticket other/repo#3 and resolved\tticket https://github.com/o/r/issues/7.\nFix the thing #5.\nFixes ticket #4\n');
    expect(scratch.word('change-metadata', TICKET)).toBe('valid');
  });

  test('credentials in addresses are left out', () => {
    const scratch = new Scratch(shell);
    scratch.write('summary.md', 'https://user:p@ss@host/x ssh://git@host/y https://h/?private_token=abc&x=1 mail a@b.c\n');
    scratch.write('.relayflow/check.log', 'fetching https://token@host/z\n');
    const text = body(scratch, { RELAYFLOW_CHECK_RESULT: 'fail' });
    expect(text).toContain('https://***@host/x ssh://***@host/y https://h/?private_token=***&x=1 mail a@b.c\n');
    expect(text).toContain('https://***@host/z');
  });

  test('within what a forge takes, and no character in halves, whatever the size', () => {
    const scratch = new Scratch(shell);
    const long = (unit: string): string => unit.repeat(Math.ceil(200_000 / Buffer.byteLength(unit)));
    for (const unit of ['何', '👍', 'x', 'line 何\n', '`', '~', 'a\n', 'fixes #1 ']) {
      for (const shift of ['', 'a', 'ab']) {
        scratch.write('summary.md', shift + long(unit));
        for (const name of ['check.sh', 'check.log', 'base-check.log', 'withheld-workflows.patch']) scratch.write(`.relayflow/${name}`, shift + long(unit));
        const text = body(scratch, { RELAYFLOW_CHECK_RESULT: 'fail', RELAYFLOW_BASE_RESULT: 'fail', RELAYFLOW_CHECK_NOTES: long(unit).slice(0, 40_000), RELAYFLOW_OUTCOME: long(unit).slice(0, 40_000) });
        expect(text).not.toContain('\uFFFD');
        expect(text).toContain('\nFixes #4\n');
        expect(text).toContain('## Checks\n\nThe checks fail.');
        expect(scratch.word('change-metadata', TICKET)).toBe('valid');
      }
      if (shell.name !== 'dash') break;
    }
  }, 600_000);

  test.each([
    [{ ...TICKET, RELAYFLOW_TITLE: '' }, 'x', 'no-title'],
    [{ ...TICKET, RELAYFLOW_TITLE: 'a\nb' }, 'Fixes #4', 'title-of-many-lines'],
    [{ ...TICKET, RELAYFLOW_TITLE: 'a\n' }, 'Fixes #4', 'title-of-many-lines'],
    [TICKET, '', 'no-description'],
    [TICKET, 'x', 'no-reference'],
    [{ RELAYFLOW_TITLE: 'a' }, 'x\n\n', 'no-reference'],
    [TICKET, 'Fixes #4 and more', 'no-reference'],
    [TICKET, 'Fixes #4\n\nand fixes #5', 'another-closing-reference'],
    [TICKET, `Fixes #4\n${'x'.repeat(65_530)}`, 'description-too-long'],
    [{ ...TICKET, RELAYFLOW_REFERENCE: 'Ticket: ENG-1' }, 'Fixes #4\nTicket: ENG-1', 'another-closing-reference'],
    [{ ...TICKET, RELAYFLOW_REFERENCE: 'Ticket: ENG-1' }, 'fixes the bug in # 4\nTicket: ENG-1', 'valid'],
    [TICKET, 'Fixes #4', 'valid'],
  ])('fit to publish: %j %#', (env, text, word) => {
    const scratch = new Scratch(shell);
    scratch.write('.relayflow/pr-body.md', text);
    expect(scratch.word('change-metadata', env)).toBe(word);
  });

  test('no description at all', () => {
    expect(new Scratch(shell).word('change-metadata', TICKET)).toBe('no-description');
  });
});
