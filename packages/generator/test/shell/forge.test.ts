import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

const ENV = { RELAYFLOW_TITLE: '-t "quoted"\'s', RELAYFLOW_DRAFT: '1', RELAYFLOW_REVIEWER: 'ada', RELAYFLOW_OUTCOME: 'Two findings.' };

inEachShell((shell) => {
  /** A program that notes how it is called, one argument a line, and then does what the script says. */
  const noting = (scratch: Scratch, name: string, script: string): void => scratch.program(name, `for a do printf '%s\\n' "$a"; done >>'${scratch.top}/calls'; echo == >>'${scratch.top}/calls'\n${script}`);
  const calls = (scratch: Scratch): string[] => scratch.run('', {}, `cat '${scratch.top}/calls'`).answer.split('\n==').map((call) => call.trim()).filter((call) => call !== '');

  test('opened by the helper of the host', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'work');
    noting(scratch, 'relayflow-open-change', 'echo opening; echo https://forge.example/1; echo "https://u:p@h" >&2');
    const { answer, stderr } = scratch.run('open-change', ENV);
    expect([answer, stderr]).toEqual(['https://forge.example/1', 'https://***@h\n']);
    expect(calls(scratch)).toEqual([`--title\n${ENV.RELAYFLOW_TITLE}\n--body-file\n.relayflow/pr-body.md\n--head\nwork\n--draft\n--reviewer\nada`]);
  });

  test('opened by a helper of a host that knows of no reviewers', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'work');
    noting(scratch, 'relayflow-open-change', 'for a do test "$a" != --reviewer || exit 2; done; echo https://forge.example/1');
    expect(scratch.word('open-change', { ...ENV, RELAYFLOW_DRAFT: '', RELAYFLOW_REVIEWER: 'ada b' })).toBe('https://forge.example/1');
    expect(calls(scratch).map((call) => call.split('\n').slice(4).join(' '))).toEqual(['--head work --reviewer ada b', '--head work']);
  });

  test('opened by gh, and somebody asked to review it', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'work');
    noting(scratch, 'gh', 'case "$1 $2" in "pr create") echo https://github.com/o/r/pull/1 ;; *) exit 1 ;; esac');
    expect(scratch.word('open-change', { ...ENV, RELAYFLOW_DRAFT: '' })).toBe('https://github.com/o/r/pull/1');
    expect(calls(scratch)).toEqual([`pr\ncreate\n--title\n${ENV.RELAYFLOW_TITLE}\n--body-file\n.relayflow/pr-body.md\n--head\nwork`, 'pr\nedit\nwork\n--add-reviewer\nada']);
  });

  test('one that is open is brought up to date', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'work');
    noting(scratch, 'gh', 'case "$1 $2" in "pr create") echo "a pull request for branch \\"work\\" already exists: https://github.com/o/r/pull/1" >&2; exit 1 ;; "pr view") echo https://github.com/o/r/pull/1 ;; esac');
    expect(scratch.word('open-change', ENV)).toBe('https://github.com/o/r/pull/1');
    expect(calls(scratch).map((call) => call.split('\n').slice(0, 3).join(' '))).toEqual(['pr create --title', 'pr edit work', 'pr ready work', 'pr view work', 'pr edit work']);
    expect(calls(scratch)[2]).toBe('pr\nready\nwork\n--undo');
    // What was a draft is none any more.
    scratch.word('open-change', { ...ENV, RELAYFLOW_DRAFT: '' });
    expect(calls(scratch)[7]).toBe('pr\nready\nwork');
  });

  test('failed: refused, on no branch, or nobody there to ask', () => {
    const scratch = new Scratch(shell);
    noting(scratch, 'gh', 'echo "No commits between main and work" >&2; exit 1');
    expect(scratch.run('open-change', ENV)).toMatchObject({ answer: 'failed', stderr: expect.stringContaining('No commits between') as string });
    scratch.git('checkout', '-q', '--detach');
    expect(scratch.word('open-change', ENV)).toBe('failed');
    scratch.git('checkout', '-q', 'main');
    scratch.run('', {}, `rm '${scratch.bin}/gh'`);
    expect(scratch.run('open-change', ENV)).toMatchObject({ answer: 'failed', stderr: expect.stringContaining('neither relayflow-open-change nor gh is installed') as string });
  });

  test('a blocked review: a draft, and what was found, in whole characters within the limit', () => {
    const scratch = new Scratch(shell);
    scratch.write('review.md', `Bad name https://u:p@h/x\n${'何'.repeat(40_000)}`);
    noting(scratch, 'relayflow-change', '');
    expect(scratch.run('review-blocked', ENV)).toMatchObject({ answer: 'done', stderr: '' });
    expect(calls(scratch)).toEqual(['draft', 'comment\n--body-file\nreview-blocked.md']);
    const text = scratch.read('review-blocked.md');
    expect(text).toMatch(/^The review of this change is not resolved: Two findings\.\n\nBad name https:\/\/\*\*\*@h\/x\n何+…\n$/);
    expect(Buffer.byteLength(text)).toBeLessThan(65_536);
  });

  test('a blocked review where the forge says no: the comment is posted all the same, and the rest said', () => {
    const scratch = new Scratch(shell);
    noting(scratch, 'gh', 'test "$2" = comment');
    expect(scratch.run('review-blocked', ENV).stderr).toContain('relayflow: the change is no draft, or lacks review-blocked.md');
    expect(calls(scratch)).toEqual(['pr\nready\n--undo', 'pr\ncomment\n--body-file\nreview-blocked.md']);
  });

  test('pushed with its hooks, read back, and never by force', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'work');
    scratch.write('a.txt', 'a');
    scratch.commit('a', 'a.txt');
    scratch.write('.git/hooks/pre-push', '#!/bin/sh\necho "pushing https://user:pass@host/" >&2; exit 1\n');
    scratch.run('', {}, 'chmod +x .git/hooks/pre-push');
    expect(scratch.run('push')).toMatchObject({ answer: 'failed', stderr: expect.stringContaining('https://***@host/') as string });
    expect(scratch.pushed('work')).toEqual([]);
    scratch.run('', {}, 'rm .git/hooks/pre-push');
    expect([scratch.word('push'), scratch.word('push'), scratch.pushed('work')]).toEqual(['pushed', 'up-to-date', ['a.txt', 'base.txt']]);
    scratch.git('commit', '-q', '--amend', '-m', 'another');
    expect(scratch.word('push')).toBe('failed');
  });

  test('a remote that says it worked, and has nothing', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '-b', 'work');
    scratch.write('../origin.git/hooks/post-receive', '#!/bin/sh\ngit update-ref -d refs/heads/work\n');
    scratch.run('', {}, 'chmod +x ../origin.git/hooks/post-receive');
    expect(scratch.run('push')).toMatchObject({ answer: 'failed', stderr: expect.stringContaining('relayflow: the remote does not have the commit') as string });
  });

  test('pushes go to where they are configured to go', () => {
    const scratch = new Scratch(shell);
    scratch.git('init', '-q', '--bare', join(scratch.top, 'fork.git'));
    scratch.git('remote', 'set-url', '--push', 'origin', join(scratch.top, 'fork.git'));
    scratch.git('checkout', '-q', '-b', 'work');
    expect([scratch.word('push'), scratch.word('push'), scratch.pushed('work')]).toEqual(['pushed', 'up-to-date', []]);
  });

  test('failed without a remote, on no branch, outside of a repository', () => {
    const scratch = new Scratch(shell);
    scratch.git('checkout', '-q', '--detach');
    const words = [scratch.word('push')];
    scratch.git('checkout', '-q', 'main');
    scratch.git('remote', 'remove', 'origin');
    words.push(scratch.word('push'));
    scratch.cwd = scratch.bin;
    expect([...words, scratch.word('push')]).toEqual(['failed', 'failed', 'failed']);
  });
});
