import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell, type Shell } from './shells.js';

/** What GitHub says, by whose credentials are refused. */
const REFUSALS = [
  'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yml` without `workflow` scope',
  'refusing to allow an OAuth App to create or update workflow `.github/workflows/ci.yml` without `workflow` scope',
  'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
] as const;

/** A branch `work` from a base with a workflow, and a remote that refuses commits which change workflows against all of their parents. */
function refusing(shell: Shell, message: string = REFUSALS[0], rest = ''): { scratch: Scratch; env: Readonly<Record<string, string>> } {
  const scratch = new Scratch(shell);
  scratch.write('.github/workflows/ci.yml', 'on: push\n');
  const base = scratch.commit('ci', '.github/workflows/ci.yml');
  scratch.git('push', '-q', 'origin', 'main');
  scratch.write('../origin.git/hooks/pre-receive', `#!/bin/sh
while read -r old new ref; do
  ${rest}
  for commit in $(git rev-list "$new" --not --all); do
    if git diff-tree -c -r --root --no-commit-id --name-only "$commit" | grep -q '^.github/workflows/'; then
      echo '${message}' >&2
      exit 1
    fi
  done
done
`);
  scratch.run('', {}, 'chmod +x ../origin.git/hooks/pre-receive');
  scratch.git('checkout', '-q', '-b', 'work');
  return { scratch, env: { RELAYFLOW_BASE: base } };
}

/** Three commits: code, a workflow with code, code; each with an author, a date and a message of its own. */
function work(scratch: Scratch): string {
  const commit = (message: string, ...files: string[]): void => {
    for (const file of files) scratch.write(file, `${message}\n`);
    scratch.git('add', '--', ...files);
    scratch.git('commit', '-q', '--author', 'Bé <b@example.invalid>', '--date', '2020-02-03T04:05:06+0530', '--cleanup=verbatim', '-m', message);
  };
  commit('One: ünï\n\nauthor of this\n\ttab', 'a.txt');
  commit('Two', '.github/workflows/ci.yml', '.github/workflows/new one.yml', 'b.txt');
  commit('Three', 'c.txt');
  return scratch.git('rev-parse', 'HEAD');
}

const WORDS = 'tformat:%an <%ae> %aI|%cn %cI|%B';

inEachShell((shell) => {
  test.each(REFUSALS)('%s', (message) => {
    const { scratch, env } = refusing(shell, message);
    const original = work(scratch);
    const before = scratch.git('log', `--format=${WORDS}`, `${env['RELAYFLOW_BASE']}..`);
    expect(scratch.word('push', env)).toBe('pushed-without-workflows');
    expect(scratch.pushed('work')).toEqual(['.github/workflows/ci.yml', 'a.txt', 'b.txt', 'base.txt', 'c.txt']);
    expect(scratch.git('log', `--format=${WORDS}`, `${env['RELAYFLOW_BASE']}..`)).toBe(before);
    expect(scratch.git('rev-parse', 'refs/relayflow/withheld-workflows')).toBe(original);
    expect(scratch.git('rev-parse', 'HEAD', '@{u}').split('\n')).toEqual(Array.from({ length: 2 }, () => scratch.git('rev-parse', 'HEAD')));
    expect(scratch.git('status', '--porcelain')).toBe('?? .relayflow/');
    expect(scratch.read('.github/workflows/ci.yml')).toBe('on: push\n');

    expect(scratch.word('push', env)).toBe('up-to-date');
    scratch.word('check-report', { RELAYFLOW_TITLE: 'x', RELAYFLOW_REFERENCE: 'Fixes #4' });
    expect(scratch.read('.relayflow/pr-body.md')).toContain('+++ b/.github/workflows/new one.yml');
    expect(scratch.word('change-metadata', { RELAYFLOW_TITLE: 'x', RELAYFLOW_REFERENCE: 'Fixes #4' })).toBe('valid');
    scratch.git('apply', '--index', '.relayflow/withheld-workflows.patch');
    expect(scratch.git('write-tree')).toBe(scratch.git('rev-parse', `${original}^{tree}`));
  });

  test('a later commit is pushed as usual, and edits that are refused again are kept as well', () => {
    const { scratch, env } = refusing(shell);
    const first = work(scratch);
    expect(scratch.word('push', env)).toBe('pushed-without-workflows');
    scratch.write('d.txt', 'd');
    scratch.commit('Four', 'd.txt');
    expect(scratch.word('push', env)).toBe('pushed');
    scratch.write('.github/workflows/again.yml', 'x\n');
    const second = scratch.commit('Five', '.github/workflows/again.yml');
    expect(scratch.word('push', env)).toBe('pushed-without-workflows');
    expect(scratch.git('rev-parse', 'refs/relayflow/withheld-workflows', 'refs/relayflow/withheld-workflows@{1}').split('\n')).toEqual([second, first]);
    expect(scratch.read('.relayflow/withheld-workflows.patch').match(/^diff --git/gm)).toHaveLength(3);
  });

  test('unfinished work stays as it is', () => {
    const { scratch, env } = refusing(shell);
    work(scratch);
    scratch.write('a.txt', 'unfinished\n');
    scratch.write('staged.txt', 'staged\n');
    scratch.write('.github/workflows/ci.yml', 'unfinished too\n');
    scratch.git('add', 'staged.txt');
    expect(scratch.word('push', env)).toBe('pushed-without-workflows');
    expect(scratch.git('diff', '--cached', '--name-only')).toBe('staged.txt');
    expect(['a.txt', '.github/workflows/ci.yml'].map((name) => scratch.read(name))).toEqual(['unfinished\n', 'unfinished too\n']);
  });

  test('a merge of what the remote has brings its workflows along', () => {
    const { scratch, env } = refusing(shell);
    work(scratch);
    scratch.git('checkout', '-q', 'main');
    scratch.write('.github/workflows/theirs.yml', 'theirs\n');
    scratch.commit('theirs', '.github/workflows/theirs.yml');
    scratch.run('', {}, 'mv ../origin.git/hooks/pre-receive ../hook');
    scratch.git('push', '-q', 'origin', 'main');
    scratch.run('', {}, 'mv ../hook ../origin.git/hooks/pre-receive');
    scratch.git('checkout', '-q', 'work');
    scratch.git('merge', '-q', '--no-edit', 'main');
    expect(scratch.word('push', env)).toBe('pushed-without-workflows');
    expect(scratch.pushed('work')).toContain('.github/workflows/theirs.yml');
    expect(scratch.git('diff', '--name-only', 'main', 'HEAD')).toBe('a.txt\nb.txt\nc.txt');
    expect(scratch.git('rev-parse', 'HEAD^2')).toBe(scratch.git('rev-parse', 'main'));
  });

  test('in a folder of the repository', () => {
    const { scratch, env } = refusing(shell);
    const original = work(scratch);
    scratch.write('sub/d.txt', 'd');
    scratch.commit('sub', 'sub/d.txt');
    scratch.cwd = `${scratch.repo}/sub`;
    expect(scratch.word('push', env)).toBe('pushed-without-workflows');
    expect(scratch.git('rev-parse', 'refs/relayflow/withheld-workflows^')).toBe(original);
    expect(scratch.read('.relayflow/withheld-workflows.patch')).toContain('new one.yml');
  });

  test.each([
    ['a branch that is refused for another reason too', 'case $ref in refs/heads/work) tip=$new ;; esac; git diff-tree --quiet "$new" main -- .github || { echo "refusing to allow a GitHub App to create or update workflow x" >&2; }; echo protected >&2; exit 1'],
    ['one that is refused for another reason alone', 'echo protected >&2; exit 1'],
  ])('%s: failed, and everything is as it was', (_what, rest) => {
    const { scratch, env } = refusing(shell, REFUSALS[0], rest);
    const original = work(scratch);
    expect(scratch.word('push', env)).toBe('failed');
    expect([scratch.git('rev-parse', 'HEAD'), scratch.git('status', '--porcelain'), scratch.pushed('work')]).toEqual([original, '?? .relayflow/', []]);
    expect(scratch.has('.github/workflows/new one.yml')).toBe(true);
  });
});
