import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resetDirectory, snapshotDirectory, type DirectorySnapshot, type Reset } from '../../src/agents/directory/recovery.js';
import { folder } from './fixture.js';

const REF = 'refs/relayflow/abandoned/r1/agent-1/1';
const home = { HOME: '/nonexistent', PATH: process.env['PATH'] };

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
}

function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

function repository(files: Readonly<Record<string, string>> = { 'a.txt': 'a\n', 'src/b.txt': 'b\n' }, options: { readonly commit?: boolean; readonly config?: Readonly<Record<string, string>> } = {}): string {
  const root = folder();
  git(root, 'init', '-q');
  for (const [key, value] of Object.entries({ 'user.name': 'a', 'user.email': 'a@b', ...options.config })) git(root, 'config', key, value);
  put(root, files);
  if (options.commit !== false) {
    git(root, 'add', '-A');
    git(root, '-c', 'commit.gpgSign=false', '-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'first');
  }
  return root;
}

const place = (directory: string) => ({ directory, dataDir: join(directory, '.relayflowd'), scratch: join(directory, '.relayflowd/scratch'), hostEnv: home });

async function snapshot(directory: string): Promise<DirectorySnapshot> {
  const taken = await snapshotDirectory(place(directory));
  if ('unavailable' in taken) throw new Error(taken.unavailable);
  return taken;
}

async function reset(directory: string, to: DirectorySnapshot): Promise<Reset> {
  const done = await resetDirectory({ ...place(directory), snapshot: to, ref: REF });
  if ('unavailable' in done) throw new Error(done.unavailable);
  return done;
}

/** Every file of a working tree with its content, mode bits and links. */
function contents(root: string): Record<string, string> {
  const files = execFileSync('find', ['.', '-name', '.git', '-prune', '-o', '(', '-type', 'f', '-o', '-type', 'l', ')', '-print0'], { cwd: root, encoding: 'utf8' }).split('\0');
  return Object.fromEntries(files.filter(Boolean).sort().map((name) => {
    const stats = lstatSync(join(root, name));
    return [name.slice(2), stats.isSymbolicLink() ? `-> ${readlinkSync(join(root, name))}` : `${(stats.mode & 0o100) === 0 ? '' : 'x '}${readFileSync(join(root, name), 'latin1')}`];
  }));
}

const state = (root: string) => ({ files: contents(root), status: git(root, 'status', '--porcelain'), refs: git(root, 'for-each-ref'), staged: git(root, 'diff', '--cached') });

describe('a snapshot', () => {
  it('changes nothing that the user sees, and can be taken again', async () => {
    const root = repository();
    put(root, { 'a.txt': 'edited\n', 'new.txt': 'new\n', 'staged.txt': 's\n' });
    git(root, 'add', 'staged.txt');
    const before = state(root);
    const taken = await snapshot(root);
    expect(state(root)).toEqual(before);
    expect(await snapshot(root)).toEqual(taken);
    expect(git(root, 'ls-tree', '-r', '--name-only', taken.files).split('\n')).toEqual(['a.txt', 'new.txt', 'src/b.txt', 'staged.txt']);
  });

  it.each([
    ['outside git', () => folder(), /no git repository/],
    ['inside .git', () => join(repository(), '.git'), /no git repository/],
  ])('is not available %s', async (_where, make, message) => {
    expect(await snapshotDirectory(place(make()))).toEqual({ unavailable: expect.stringMatching(message) });
  });
});

describe('a reset', () => {
  it('puts edited, new, deleted, renamed, linked and executable files back, and keeps what was there', async () => {
    const root = repository({ 'edited.txt': '1\n', 'deleted.txt': '2\n', 'moved.txt': '3\n', 'run.sh': '4\n', 'kept/deep.txt': '5\n', 'becomes-folder': '6\n' });
    chmodSync(join(root, 'run.sh'), 0o755);
    symlinkSync('run.sh', join(root, 'link'));
    put(root, { 'untracked.txt': 'mine\n', 'edited.txt': 'edited before\n' });
    const before = state(root);
    const taken = await snapshot(root);

    put(root, { 'edited.txt': 'by the agent\n', 'untracked.txt': 'overwritten\n', 'new/deep/file.txt': 'new\n', 'kept/deep.txt': 'x\n' });
    rmSync(join(root, 'deleted.txt'));
    rmSync(join(root, 'becomes-folder'));
    put(root, { 'becomes-folder/x': 'x' });
    git(root, 'mv', 'moved.txt', 'elsewhere.txt');
    git(root, 'add', '-A');
    chmodSync(join(root, 'run.sh'), 0o644);
    unlinkSync(join(root, 'link'));
    symlinkSync('/etc', join(root, 'link'));
    const abandoned = contents(root);

    expect(await reset(root, taken)).toEqual({ abandoned: REF, left: [] });
    expect({ ...state(root), refs: '' }).toEqual({ ...before, refs: '' });
    expect(existsSync(join(root, 'new'))).toBe(false);

    const copy = folder();
    git(root, 'worktree', 'add', '-q', join(copy, 'w'), REF);
    expect(contents(join(copy, 'w'))).toEqual(abandoned);
  });

  it('makes no ref when nothing had changed', async () => {
    const root = repository();
    const before = state(root);
    expect(await reset(root, await snapshot(root))).toEqual({ left: [] });
    expect(state(root)).toEqual(before);
  });

  it('keeps what was only staged, and stages again what was staged before', async () => {
    const root = repository();
    put(root, { 'mine.txt': 'staged by me\n' });
    git(root, 'add', 'mine.txt');
    const before = state(root);
    const taken = await snapshot(root);
    put(root, { 'a.txt': 'staged by the agent\n', 'agent.txt': 'x\n' });
    git(root, 'add', '-A');
    put(root, { 'a.txt': 'and edited again\n' });
    await reset(root, taken);
    expect({ ...state(root), refs: '' }).toEqual({ ...before, refs: '' });
    expect(git(root, 'show', `${REF}^2:a.txt`)).toBe('staged by the agent');
    expect(git(root, 'show', `${REF}:a.txt`)).toBe('and edited again');
  });

  it('leaves commits on their branch and says so', async () => {
    const root = repository();
    const taken = await snapshot(root);
    put(root, { 'a.txt': 'committed\n', 'new.txt': 'committed\n' });
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'by the agent');
    const done = await reset(root, taken);
    expect(done.left).toEqual([expect.stringContaining('commits made meanwhile')]);
    expect(contents(root)).toEqual({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
    expect(git(root, 'log', '--format=%s')).toBe('by the agent\nfirst');
    expect(git(root, 'rev-parse', `${REF}^`)).toBe(git(root, 'rev-parse', 'HEAD'));
  });

  it('never touches ignored files, whichever way the rules changed meanwhile', async () => {
    const root = repository({ '.gitignore': 'secret.env\nbuild/\n', 'a.txt': 'a\n', 'notes.txt': 'n\n' });
    put(root, { 'secret.env': 'KEY=1\n', 'build/out': 'o\n', 'node_modules/x/index.js': 'x\n', 'mine.txt': 'mine\n' });
    const taken = await snapshot(root);
    put(root, { '.gitignore': 'mine.txt\n', 'mine.txt': 'overwritten\n', 'secret.env': 'KEY=2\n', 'node_modules/y/index.js': 'y\n' });
    expect(await reset(root, taken)).toEqual({ abandoned: REF, left: [] });
    expect(contents(root)).toEqual({
      '.gitignore': 'secret.env\nbuild/\n', 'a.txt': 'a\n', 'notes.txt': 'n\n', 'mine.txt': 'mine\n',
      'secret.env': 'KEY=2\n', 'build/out': 'o\n', 'node_modules/x/index.js': 'x\n', 'node_modules/y/index.js': 'y\n',
    });
    expect(git(root, 'show', `${REF}:mine.txt`)).toBe('overwritten');
  });

  it('does not remove an ignored folder that took the place of a file', async () => {
    const root = repository({ '.gitignore': '*.keep\n', 'a.txt': 'a\n' });
    const taken = await snapshot(root);
    rmSync(join(root, 'a.txt'));
    put(root, { 'a.txt/precious.keep': 'p' });
    expect((await reset(root, taken)).left).toEqual([expect.stringContaining('a.txt could not be put back')]);
    expect(readFileSync(join(root, 'a.txt/precious.keep'), 'utf8')).toBe('p');
  });

  it('does not write through a link that took the place of a folder', async () => {
    const root = repository({ 'dir/a.txt': 'a\n' });
    const outside = folder();
    const taken = await snapshot(root);
    rmSync(join(root, 'dir'), { recursive: true });
    symlinkSync(outside, join(root, 'dir'));
    await reset(root, taken);
    expect(contents(root)).toEqual({ 'dir/a.txt': 'a\n' });
    expect(contents(outside)).toEqual({});
  });

  it('keeps to the directory of the step', async () => {
    const root = repository({ 'a/x.txt': 'x\n', 'b/y.txt': 'y\n' });
    const taken = await snapshot(join(root, 'a'));
    put(root, { 'a/x.txt': 'X\n', 'a/new': '', 'b/y.txt': 'Y\n', 'b/new': '' });
    git(root, 'add', '-A');
    await reset(join(root, 'a'), taken);
    expect(contents(root)).toEqual({ 'a/x.txt': 'x\n', 'b/y.txt': 'Y\n', 'b/new': '' });
    expect(git(root, 'status', '--porcelain')).toBe('A  b/new\nM  b/y.txt');
  });

  it('takes any name', async () => {
    const names = { 'ümläut "q".txt': '1', ' blank ': '2', 'new\nline': '3', '-dash': '4', 'back\\slash': '5', '*': '6', ':(top)x': '7' };
    const root = repository(names);
    const before = contents(root);
    const taken = await snapshot(root);
    put(root, Object.fromEntries(Object.keys(names).map((name) => [name, 'changed'])));
    put(root, { ':!new': 'x', 'new\nnew': 'x' });
    await reset(root, taken);
    expect(contents(root)).toEqual(before);
  });
});

describe('whatever git is set up to', () => {
  const roundTrip = async (root: string, directory = root): Promise<void> => {
    put(directory, { 'mine.txt': 'lf\n', 'mine-crlf.txt': 'crlf\r\n' });
    const before = { files: contents(directory), status: git(root, 'status', '--porcelain') };
    const taken = await snapshot(directory);
    put(directory, { 'mine.txt': 'x', 'mine-crlf.txt': 'x', 'a.txt': 'x', 'new.txt': 'x' });
    expect(await reset(directory, taken)).toEqual({ abandoned: REF, left: [] });
    expect({ files: contents(directory), status: git(root, 'status', '--porcelain') }).toEqual(before);
  };

  it.each([
    ['line endings checked', { 'core.autocrlf': 'input', 'core.safecrlf': 'true' }],
    ['signing', { 'commit.gpgSign': 'true', 'user.signingKey': 'nobody', 'gpg.program': '/bin/false' }],
    ['a monitor that fails', { 'core.fsmonitor': '/bin/false' }],
    ['quoted paths, no rename, split index, untracked cache', { 'core.quotePath': 'true', 'core.splitIndex': 'true', 'core.untrackedCache': 'true', 'diff.renames': 'false' }],
    ['external diffs and colours', { 'diff.external': '/bin/false', 'color.ui': 'always', 'core.pager': '/bin/false' }],
  ])('%s', async (_what, config) => await roundTrip(repository(undefined, { config })));

  /** What git takes for unchanged without a look at it, and what it looks at since it is as young as its index, take different ways. */
  describe.each(['young', 'old'])('in a %s checkout', (age) => {
    const settled = (root: string): string => {
      if (age === 'young') return root;
      execFileSync('find', [root, '-path', '*/.git', '-prune', '-o', '-type', 'f', '-exec', 'touch', '-d', '2 days ago', '{}', '+']);
      git(root, 'update-index', '-q', '--refresh');
      return root;
    };

    it('line endings converted', async () => await roundTrip(settled(repository({ 'a.txt': 'a\r\n', 'src/b.txt': 'b\r\n' }, { config: { 'core.autocrlf': 'true' } }))));

    it('attributes', async () => {
      const root = repository({ '.gitattributes': '*.txt text eol=crlf ident\n*.bin filter=gone\n', 'a.txt': 'a $Id$\r\n', 'data.bin': 'b\n' });
      // As git writes it, with the name of its content.
      rmSync(join(root, 'a.txt'));
      git(root, 'checkout', '--', 'a.txt');
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toMatch(/^a \$Id: [0-9a-f]{40} \$\r\n$/);
      await roundTrip(settled(root));
    });
  });

  it('hooks that fail or write', async () => {
    const root = repository();
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit', 'post-commit']) {
      put(root, { [`.git/hooks/${hook}`]: '#!/bin/sh\necho hooked >> hooked.txt\nexit 1\n' });
      chmodSync(join(root, '.git/hooks', hook), 0o755);
    }
    put(root, { 'mine.txt': '1\n' });
    const taken = await snapshot(root);
    put(root, { 'a.txt': 'x', 'new.txt': 'x' });
    expect(await reset(root, taken)).toEqual({ abandoned: REF, left: [] });
    expect(contents(root)).toEqual({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', 'mine.txt': '1\n' });
  });

  it('no commit yet', async () => await roundTrip(repository(undefined, { commit: false })));

  it('a detached HEAD', async () => {
    const root = repository();
    git(root, 'checkout', '-q', '--detach');
    await roundTrip(root);
  });

  it('a linked worktree', async () => {
    const root = repository();
    const linked = join(folder(), 'linked');
    git(root, 'worktree', 'add', '-q', linked, '-b', 'other');
    await roundTrip(linked);
    expect(git(root, 'for-each-ref', '--format=%(refname)', 'refs/relayflow')).toBe(REF);
  });

  it('sha256', async () => {
    const root = folder();
    git(root, 'init', '-q', '--object-format=sha256');
    put(root, { 'a.txt': 'a\n' });
    git(root, 'add', '-A');
    git(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
    await roundTrip(root);
  });

  it.each([[], ['--sparse-index']])('a sparse checkout %j', async (...flags) => {
    const root = repository({ 'a.txt': 'a\n', 'in/b.txt': 'b\n', 'out/c.txt': 'c\n' });
    git(root, 'sparse-checkout', 'set', '--cone', ...flags, 'in');
    expect(existsSync(join(root, 'out'))).toBe(false);
    await roundTrip(root);
    expect(existsSync(join(root, 'out'))).toBe(false);
  });

  it('submodules and other repositories inside', async () => {
    const inner = repository({ 'inner.txt': 'i\n' });
    const root = repository();
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    git(root, 'commit', '-qm', 'submodule');
    git(root, 'init', '-q', 'empty');
    git(root, 'clone', '-q', inner, 'cloned');
    put(root, { 'sub/inner.txt': 'edited before\n' });
    const taken = await snapshot(root);
    put(root, { 'a.txt': 'x', 'sub/inner.txt': 'edited\n', 'cloned/inner.txt': 'edited\n', 'empty/x': 'x' });
    await reset(root, taken);
    expect(contents(root)).toMatchObject({ 'a.txt': 'a\n', 'sub/inner.txt': 'edited\n', 'cloned/inner.txt': 'edited\n', 'empty/x': 'x' });
  });

  it('a merge that is not resolved', async () => {
    const root = repository();
    git(root, 'checkout', '-qb', 'side');
    put(root, { 'a.txt': 'side\n' });
    git(root, 'commit', '-qam', 'side');
    git(root, 'checkout', '-q', '-');
    put(root, { 'a.txt': 'main\n' });
    git(root, 'commit', '-qam', 'main');
    expect(() => git(root, 'merge', 'side')).toThrow();
    const before = { files: contents(root), unmerged: git(root, 'ls-files', '-u') };
    const taken = await snapshot(root);
    expect(taken.staged).toBeUndefined();
    put(root, { 'a.txt': 'resolved?\n', 'new.txt': 'x' });
    await reset(root, taken);
    expect({ files: contents(root), unmerged: git(root, 'ls-files', '-u') }).toEqual(before);
  });

  it('variables of an outer git', async () => {
    const root = repository();
    const other = repository({ 'z.txt': 'z\n' });
    const hostile = { ...home, GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other, GIT_INDEX_FILE: join(other, '.git/index'), GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.bare', GIT_CONFIG_VALUE_0: 'true' };
    const taken = await snapshotDirectory({ ...place(root), hostEnv: hostile });
    expect(taken).toHaveProperty('files');
    put(root, { 'a.txt': 'x' });
    await resetDirectory({ ...place(root), hostEnv: hostile, snapshot: taken as DirectorySnapshot, ref: REF });
    expect(contents(root)).toEqual({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
  });

  it('a snapshot whose objects are gone is not available', async () => {
    const root = repository();
    expect(await resetDirectory({ ...place(root), snapshot: { files: '0123456789012345678901234567890123456789' }, ref: REF })).toEqual({ unavailable: expect.stringContaining('git diff-tree failed') });
    expect(contents(root)).toEqual({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
  });
});
