import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContentCache } from '../../../src/agents/directory/content-cache.js';
import { holdDirectory, readHeld, type HoldBounds } from '../../../src/agents/permissions/held.js';
import { writeRule } from '../../../src/agents/permissions/rule.js';
import { verifyHeld, type Finding } from '../../../src/agents/permissions/verify.js';
import type { AgentPermissions } from '../../../src/agents/port.js';
import { folder } from '../fixture.js';

const home = { HOME: '/nonexistent', PATH: process.env['PATH'] };
const REF = 'refs/relayflow/forbidden/r1/agent-1/1';

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' } }).trimEnd();
}

function put(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

function plain(files: Readonly<Record<string, string>>): string {
  const root = folder();
  put(root, files);
  return root;
}

function repository(files: Readonly<Record<string, string>>, config: Readonly<Record<string, string>> = {}): string {
  const root = folder();
  git(root, 'init', '-q', '-b', 'main');
  for (const [key, value] of Object.entries(config)) git(root, 'config', key, value);
  put(root, files);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  // As in a checkout that has been there for a while: git's index vouches for every file.
  execFileSync('find', [root, '-path', '*/.git', '-prune', '-o', '-type', 'f', '-exec', 'touch', '-d', '2 days ago', '{}', '+']);
  git(root, 'update-index', '-q', '--refresh');
  return root;
}

/** Everything in a tree: files with mode and bytes, links, empty folders. */
function state(root: string): Record<string, string> {
  const names = execFileSync('find', ['.', '-name', '.git', '-prune', '-o', '-mindepth', '1', '-print0'], { cwd: root, encoding: 'latin1' }).split('\0').filter(Boolean).sort();
  return Object.fromEntries(names.map((name) => {
    const file = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return [name, `-> ${readlinkSync(file)}`];
    return [name, stats.isDirectory() ? 'folder' : `${(stats.mode & 0o7777).toString(8)} ${stats.isFile() ? readFileSync(file, 'latin1') : 'other'}`];
  }));
}

interface Trial {
  readonly finding: Finding;
  readonly before: Record<string, string>;
  readonly after: Record<string, string>;
  readonly data: string;
  readonly notKept: unknown;
}

/** Lets an agent do something in a directory, and holds it to its permissions. `aged`: the clock of the first look, so that new files count as old. */
async function trial(root: string, permissions: AgentPermissions, act: () => void, options: { readonly bounds?: HoldBounds; readonly between?: (data: string) => void; readonly agedMs?: number; readonly directory?: string } = {}): Promise<Trial> {
  const rule = await writeRule(permissions);
  if (rule === undefined) throw new Error('the permissions allow everything');
  const directory = options.directory ?? root;
  const data = folder();
  const place = { directory, dataDir: data, scratch: join(data, 'scratch'), hostEnv: home };
  const look = (now: number) => ({ directory, dataDir: data, hostEnv: home, contents: new ContentCache(), now });
  const before = state(root);
  const { notKept } = await holdDirectory({ place, look: look(Date.now() + (options.agedMs ?? 60_000)), rule, folder: join(data, 'before'), ...(options.bounds === undefined ? {} : { bounds: options.bounds }) });
  act();
  options.between?.(data);
  // As after a crash: from what was written to disk.
  const held = await readHeld(join(data, 'before'));
  if (held === undefined) throw new Error('nothing was held');
  const finding = await verifyHeld({ held, rule, attribution: { except: [] }, place, look: look(Date.now()), ref: REF, folder: join(data, 'forbidden') });
  return { finding, before, after: state(root), data, notKept };
}

const readonly: AgentPermissions = { accessPreset: 'readonly' };
const FILES = { 'edited.txt': 'one\n', 'deleted.txt': 'two\n', 'mode.sh': 'three\n', 'src/a.txt': 'a\n', '.env': 'SECRET=1\n', 'becomes-folder': 'x\n', 'folder/becomes/file': 'y\n' };

/** Everything an agent can do to files. */
function wreck(root: string): void {
  put(root, { 'edited.txt': 'TWO\n', 'new/deep/file.txt': 'new\n', '.hidden': 'h\n', '.env': 'SECRET=2\n', 'src/a.txt': 'A\n' });
  rmSync(join(root, 'deleted.txt'));
  chmodSync(join(root, 'mode.sh'), 0o755);
  symlinkSync('/etc/passwd', join(root, 'link-new'));
  rmSync(join(root, 'link'));
  symlinkSync('elsewhere', join(root, 'link'));
  rmSync(join(root, 'becomes-folder'));
  put(root, { 'becomes-folder/inside': 'i\n' });
  rmSync(join(root, 'folder'), { recursive: true });
  put(root, { folder: 'now a file\n' });
}

describe.each([['outside git', plain], ['in a repository', repository]])('%s', (where, make) => {
  const linked = (files: Readonly<Record<string, string>> = FILES): string => {
    const root = make(files);
    symlinkSync('edited.txt', join(root, 'link'));
    mkdirSync(join(root, 'empty'));
    return root;
  };

  it.each([['fresh', 0], ['old', 60_000]])('a readonly agent: everything is put back byte for byte with its mode, and what it wrote is kept (%s files)', async (_what, agedMs) => {
    const root = linked();
    const { finding, before, after, data } = await trial(root, readonly, () => wreck(root), { agedMs });
    expect(after).toEqual(before);
    expect(finding).toMatchObject({ left: [], unattributed: [] });
    expect(finding.forbidden).toEqual([
      'changed .env', 'changed edited.txt', 'changed link', 'changed src/a.txt', 'changed the mode of mode.sh', 'created .hidden', 'created becomes-folder/inside', 'created folder',
      'created link-new', 'created new/deep/file.txt', 'deleted becomes-folder', 'deleted deleted.txt', 'deleted folder/becomes/file',
    ]);
    const kept = where === 'in a repository'
      ? (name: string) => git(root, 'show', `${REF}/files:${name}`)
      : (name: string) => readFileSync(join(data, 'forbidden/files', name), 'utf8').trimEnd();
    expect(finding.keptIn).toEqual([where === 'in a repository' ? `${REF}/files` : join(data, 'forbidden')]);
    expect(['.env', 'edited.txt', 'new/deep/file.txt', 'folder', 'becomes-folder/inside'].map(kept)).toEqual(['SECRET=2', 'TWO', 'new', 'now a file', 'i']);
  });

  it('with globs: allowed changes stay, the others are put back', async () => {
    const root = linked();
    const { finding, before, after } = await trial(root, { fileGlobs: ['src/**', 'new/**', '!src/gen/**'] }, () => {
      wreck(root);
      put(root, { 'src/gen/x': 'x\n', 'src/new.txt': 'n\n' });
    });
    expect(after).toEqual({ ...before, './src/a.txt': '644 A\n', './src/new.txt': '644 n\n', './new': 'folder', './new/deep': 'folder', './new/deep/file.txt': '644 new\n' });
    expect(finding.forbidden).toContain('created src/gen/x');
    expect(finding.forbidden.some((text) => text.includes('src/a.txt') || text.includes('new/deep'))).toBe(false);
  });

  it('finds nothing where content came back, was only read, touched, or is left out of every look', async () => {
    const root = linked();
    const { finding } = await trial(root, readonly, () => {
      put(root, { 'edited.txt': 'TWO\n', 'node_modules/x/y': '', '.relayflowd/log': '' });
      put(root, { 'edited.txt': 'one\n' });
      execFileSync('touch', [join(root, 'src/a.txt'), join(root, 'mode.sh')]);
    });
    expect(finding).toEqual({ forbidden: [], keptIn: [], left: [], unattributed: [] });
  });

  it('takes any name', async () => {
    const root = linked({ 'ümläut "q"': '1', ' blank ': '2', 'new\nline': '3', '-dash': '4', '*': '5', ':(top)x': '6' });
    const { finding, before, after } = await trial(root, readonly, () => {
      put(root, { 'ümläut "q"': 'x', ' blank ': 'x', 'new\nline': 'x', '-dash': 'x', '*': 'x', ':(top)x': 'x', 'tab\tnew': '' });
      writeFileSync(Buffer.concat([Buffer.from(`${root}/not-utf8-`), Buffer.from([0xff])]), 'x');
    });
    expect(after).toEqual(before);
    expect(finding).toMatchObject({ left: [], forbidden: expect.arrayContaining(['created not-utf8-\uFFFD']) });
    expect(finding.forbidden).toHaveLength(8);
  });

  it('does not write through a link that took the place of a folder', async () => {
    const root = linked();
    const outside = folder();
    const { finding, before, after } = await trial(root, readonly, () => {
      renameSync(join(root, 'src'), join(outside, 'src'));
      symlinkSync(join(outside, 'src'), join(root, 'src'));
      put(outside, { 'src/a.txt': 'outside\n' });
    });
    expect(after).toEqual(before);
    expect(finding.left).toEqual([]);
    expect(readFileSync(join(outside, 'src/a.txt'), 'utf8')).toBe('outside\n');
  });

  it('says what cannot be put back, and leaves it', async () => {
    const root = linked();
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const { finding } = await trial(root, { fileGlobs: ['src', 'deleted.txt/*'] }, () => {
      rmSync(join(root, 'pipe'));
      rmSync(join(root, 'src'), { recursive: true });
      put(root, { src: 'a file, which is allowed\n' });
      rmSync(join(root, 'deleted.txt'));
      put(root, { 'deleted.txt/allowed': 'x\n' });
    });
    expect([...finding.left].sort()).toEqual(['deleted.txt: a folder that holds other files is in its place', 'pipe: it was a pipe, a socket or a device', 'src/a.txt: src is no folder any more']);
    expect(readFileSync(join(root, 'src'), 'utf8')).toBe('a file, which is allowed\n');
    expect(readFileSync(join(root, 'deleted.txt/allowed'), 'utf8')).toBe('x\n');
  });
});

describe('copies', () => {
  it('are made of what git does not have, up to a bound, and what is beyond is said before and after', async () => {
    const root = repository({ 'tracked.txt': 't'.repeat(5_000), '.gitignore': 'out/\n' });
    put(root, { 'out/small': 's', 'out/big': 'b'.repeat(2_000) });
    const { finding, notKept, after } = await trial(root, readonly, () => put(root, { 'out/small': 'S', 'out/big': 'B', 'tracked.txt': 'T' }), { bounds: { files: 100, bytes: 1_000 } });
    expect(notKept).toEqual({ files: 1, bytes: 2_000, example: 'out/big' });
    expect(finding.left).toEqual(['out/big: its earlier content was not kept']);
    expect(after).toMatchObject({ './out/small': '644 s', './out/big': '644 B', './tracked.txt': `644 ${'t'.repeat(5_000)}` });
    expect(git(root, 'show', `${REF}/files:out/big`)).toBe('B');
  });

  it('are not made of what may be changed anyway', async () => {
    const root = plain({ 'src/a': 'a', 'b': 'b' });
    const { data } = await trial(root, { fileGlobs: ['src/**'] }, () => undefined);
    expect(execFileSync('ls', [join(data, 'before/copies')], { encoding: 'utf8' })).toBe('0\n');
    expect(statSync(join(data, 'before')).mode & 0o777).toBe(0o700);
  });

  it('that were damaged are not believed', async () => {
    const root = plain({ 'a': 'one' });
    const { finding } = await trial(root, readonly, () => put(root, { a: 'two' }), { between: (data) => writeFileSync(join(data, 'before/copies/0'), 'damaged') });
    expect(finding.left).toEqual(['a: the copy of its earlier content is damaged']);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('two');
  });
});

it('what cannot be kept is not overwritten', async () => {
  const root = plain({ 'a.txt': 'a', 'b.txt': 'b' });
  const { finding, after } = await trial(root, readonly, () => {
    put(root, { 'a.txt': 'x' });
    rmSync(join(root, 'b.txt'));
  }, { between: (data) => writeFileSync(join(data, 'forbidden'), 'in the way') });
  expect(finding.left).toEqual(['a.txt: what is there now could not be kept (ENOTDIR), so it was left']);
  expect(after).toEqual({ './a.txt': '644 x', './b.txt': '644 b' });
});

describe('bytes that git stores in another form', () => {
  it.each([
    ['line endings, everywhere the same', { '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'a\r\nb\r\n' }, []],
    ['line endings, mixed', { '.gitattributes': '*.txt text\n', 'a.txt': 'a\r\nb\n' }, ['a.txt: git does not give its earlier content back byte for byte']],
    ['an encoding', { '.gitattributes': '*.txt working-tree-encoding=UTF-16LE\n', 'a.txt': 'a\0b\0' }, []],
    ['an unexpanded ident', { '.gitattributes': '*.txt ident\n', 'a.txt': 'a $Id$ b\n' }, []],
  ])('%s', async (_what, files, left) => {
    const root = repository(files);
    const { finding, before, after } = await trial(root, readonly, () => put(root, { 'a.txt': 'x', '.gitattributes': '*.txt filter=evil\n' }));
    expect(finding.left).toEqual(left);
    if (left.length === 0) expect(after).toEqual(before);
    else expect(after).toEqual({ ...before, './a.txt': '644 x' });
  });

  it('a filter of the user', async () => {
    const root = repository({ '.gitattributes': '*.txt filter=rot\n', 'a.txt': 'Hello\n' }, { 'filter.rot.clean': 'tr a-zA-Z n-za-mN-ZA-M', 'filter.rot.smudge': 'tr a-zA-Z n-za-mN-ZA-M' });
    expect(git(root, 'show', 'HEAD:a.txt')).toBe('Uryyb');
    const { finding, before, after } = await trial(root, readonly, () => put(root, { 'a.txt': 'x' }));
    expect(finding.left).toEqual([]);
    expect(after).toEqual(before);
  });
});

describe('the repository', () => {
  const refs = (root: string): string => git(root, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags', 'refs/stash');
  const status = (root: string): string => `${git(root, 'status', '--porcelain=v1', '--branch')}\n${git(root, 'diff', '--cached')}`;

  it.each([
    ['a commit', (root: string) => { put(root, { 'a.txt': 'x' }); git(root, 'commit', '-qam', 'by the agent'); }, /^moved refs\/heads\/main from \w{10} to \w{10}$/],
    ['another branch', (root: string) => { git(root, 'checkout', '-qb', 'other'); put(root, { n: 'n' }); git(root, 'add', '-A'); git(root, 'commit', '-qm', 'x'); }, /^HEAD from main to other$/],
    ['a detached HEAD with a commit', (root: string) => { git(root, 'checkout', '-q', '--detach'); put(root, { n: 'n' }); git(root, 'add', '-A'); git(root, 'commit', '-qm', 'x'); }, /^HEAD from main to \w{10}$/],
    ['a stash', (root: string) => { put(root, { 'a.txt': 'x' }); git(root, 'stash', '-q'); }, /^created refs\/stash$/],
    ['a staged file', (root: string) => { put(root, { n: 'n' }); git(root, 'add', '-A'); }, /^staged other files$/],
    ['a deleted branch', (root: string) => git(root, 'branch', '-qD', 'keep'), /^deleted refs\/heads\/keep$/],
    ['a branch below the name of a deleted one', (root: string) => { git(root, 'branch', '-qD', 'keep'); git(root, 'branch', 'keep/x'); }, /^created refs\/heads\/keep\/x$/],
    ['a moved tag', (root: string) => { put(root, { 'a.txt': 'x' }); git(root, 'commit', '-qam', 'y'); git(root, 'tag', '-f', 'v1'); }, /^moved refs\/tags\/v1 from/],
  ])('of a readonly agent is put back: %s', async (_what, act, expected) => {
    const root = repository({ 'a.txt': 'a', 'staged.txt': 's' });
    git(root, 'branch', 'keep');
    git(root, 'tag', 'v1');
    put(root, { 'staged.txt': 'staged by me' });
    git(root, 'add', 'staged.txt');
    const before = { refs: refs(root), status: status(root) };
    const { finding, before: files, after } = await trial(root, readonly, () => act(root));
    expect(finding.forbidden).toContainEqual(expect.stringMatching(expected));
    expect(finding.left).toEqual([]);
    expect({ refs: refs(root), status: status(root) }).toEqual(before);
    expect(after).toEqual(files);
    git(root, 'fsck', '--strict');
  });

  it('keeps the commits it takes back, and what was staged', async () => {
    const root = repository({ 'a.txt': 'a' });
    let commit = '';
    const { finding } = await trial(root, readonly, () => {
      put(root, { 'a.txt': 'x' });
      git(root, 'commit', '-qam', 'by the agent');
      commit = git(root, 'rev-parse', 'HEAD');
      put(root, { 'staged.txt': 'only staged' });
      git(root, 'add', '-A');
      rmSync(join(root, 'staged.txt'));
    });
    expect([...finding.keptIn].sort()).toEqual([`${REF}/files`, `${REF}/refs/heads/main`, `${REF}/staged`]);
    expect(git(root, 'rev-parse', `${REF}/refs/heads/main`)).toBe(commit);
    expect(git(root, 'show', `${REF}/staged:staged.txt`)).toBe('only staged');
  });

  it.each([['readonly', readonly], ['globs', { fileGlobs: ['**'] }]])('hooks and settings are put back, first of all (%s)', async (_what, permissions) => {
    const root = repository({ 'a.txt': 'a' });
    put(root, { '.git/hooks/pre-push': '#!/bin/sh\n', '.git/info/exclude': 'mine\n' });
    chmodSync(join(root, '.git/hooks/pre-push'), 0o755);
    const config = readFileSync(join(root, '.git/config'), 'utf8');
    const { finding, data } = await trial(root, permissions, () => {
      git(root, 'config', 'core.worktree', '/nonexistent');
      git(root, 'config', 'alias.x', '!evil');
      put(root, { '.git/hooks/pre-commit': '#!/bin/sh\nevil\n', '.git/hooks/pre-push': '#!/bin/sh\nevil\n', '.git/info/exclude': '*\n' });
    });
    expect([...finding.forbidden].sort()).toEqual(['changed .git/config (alias.x, core.worktree)', 'changed .git/hooks/pre-push', 'changed .git/info/exclude', 'created .git/hooks/pre-commit']);
    expect(finding.left).toEqual([]);
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(config);
    expect(readFileSync(join(root, '.git/hooks/pre-push'), 'utf8')).toBe('#!/bin/sh\n');
    expect(statSync(join(root, '.git/hooks/pre-push')).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(root, '.git/info/exclude'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(join(data, 'forbidden/git/hooks/pre-commit'), 'utf8')).toContain('evil');
  });

  it('a fetch, a refreshed index and rewritten settings of the same meaning do not count', async () => {
    const origin = repository({ 'a.txt': 'a' });
    const root = join(folder(), 'clone');
    git(origin, 'clone', '-q', origin, root);
    put(origin, { 'a.txt': 'b' });
    git(origin, 'commit', '-qam', 'second');
    git(origin, 'tag', 'v2');
    const { finding } = await trial(root, readonly, () => {
      git(root, 'fetch', '-q', '--tags');
      execFileSync('touch', [join(root, 'a.txt')]);
      git(root, 'status');
      writeFileSync(join(root, '.git/config'), `# a comment\n${readFileSync(join(root, '.git/config'), 'utf8')}`);
    });
    expect(finding).toEqual({ forbidden: [], keptIn: [], left: [], unattributed: [] });
  });

  it('with globs, branches may move and note their upstream; forbidden files are taken out of the index, and named when they are committed', async () => {
    const root = repository({ 'a.txt': 'a', 'src/b.txt': 'b' });
    const staged = await trial(root, { fileGlobs: ['src/**'] }, () => {
      put(root, { 'a.txt': 'x', 'n.txt': 'n', 'src/b.txt': 'B' });
      git(root, 'add', '-A');
      git(root, 'config', 'branch.main.remote', 'origin');
    });
    expect(staged.finding).toMatchObject({ forbidden: ['changed a.txt', 'created n.txt'], left: [] });
    expect(git(root, 'status', '--porcelain')).toBe('M  src/b.txt');
    const committed = await trial(root, { fileGlobs: ['src/**'] }, () => {
      put(root, { 'a.txt': 'x' });
      git(root, 'commit', '-qam', 'by the agent');
    });
    expect(committed.finding).toMatchObject({ forbidden: ['changed a.txt'], left: [expect.stringMatching(/^HEAD is \w{40} and was \w{40}: what was committed of these files is still in its history$/)] });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
  });

  it('that was made is seen', async () => {
    const root = plain({ 'a.txt': 'a' });
    const { finding } = await trial(root, readonly, () => git(root, 'init', '-q'));
    expect(finding).toMatchObject({ forbidden: [`created a git repository in ${root}`], left: [`the git repository in ${root} is still there`] });
  });

  it.each([
    ['a linked worktree', (root: string) => { const linked = join(folder(), 'w'); git(root, 'worktree', 'add', '-q', linked, '-b', 'other'); return { top: linked, directory: linked }; }],
    ['a folder with a strange name', (root: string) => ({ top: root, directory: join(root, 'ü b') })],
    ['sha256', () => { const root = folder(); git(root, 'init', '-q', '-b', 'main', '--object-format=sha256'); put(root, { 'x.txt': 'x' }); git(root, 'add', '-A'); git(root, 'commit', '-qm', 'first'); return { top: root, directory: root }; }],
    ['no commit yet', () => { const root = folder(); git(root, 'init', '-q', '-b', 'main'); put(root, { 'x.txt': 'x' }); git(root, 'add', '-A'); return { top: root, directory: root }; }],
    ['another repository inside', (root: string) => { git(root, 'clone', '-q', root, join(root, 'inner')); return { top: root, directory: root }; }],
  ])('in every shape: %s', async (_what, make) => {
    const base = repository({ 'x.txt': 'x', 'ü b/x.txt': 'x', 'inner.txt': 'i' });
    const { top, directory } = make(base);
    const before = status(top);
    const inner = existsSync(join(directory, 'inner')) ? ['inner/x.txt'] : [];
    const result = await trial(top, readonly, () => {
      put(directory, { 'x.txt': 'changed', 'deep/new.txt': 'n', ...Object.fromEntries(inner.map((name) => [name, 'changed'])) });
      git(directory, 'add', '-A', '--', 'x.txt', 'deep');
      git(directory, 'commit', '-qm', 'by the agent');
    }, { directory });
    expect(result.finding.forbidden).toEqual(expect.arrayContaining(['changed x.txt', 'created deep/new.txt', ...inner.map((name) => `changed ${name}`)]));
    expect(result.finding.left).toEqual([]);
    expect(result.after).toEqual(result.before);
    expect(status(top)).toBe(before);
  });
});
