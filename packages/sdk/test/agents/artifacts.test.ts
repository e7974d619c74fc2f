import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedSince } from '../../src/agents/directory/artifacts.js';
import { snapshotTree, type TreeRequest } from '../../src/agents/directory/tree-snapshot.js';
import { ContentCache } from '../../src/agents/directory/content-cache.js';
import { folder } from './fixture.js';

function request(directory: string, more: Partial<TreeRequest> = {}): TreeRequest {
  return { directory, dataDir: join(directory, 'data'), hostEnv: process.env, contents: new ContentCache(), now: Date.now(), ...more };
}

function put(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

function repository(files: Readonly<Record<string, string>>, config: Readonly<Record<string, string>> = {}): string {
  const root = folder();
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  git('init', '-q');
  for (const [key, value] of Object.entries({ 'user.name': 'a', 'user.email': 'a@b', ...config })) git('config', key, value);
  put(root, files);
  git('add', '-A');
  git('commit', '-qm', 'first');
  settle(root);
  git('update-index', '-q', '--refresh');
  return root;
}

/** Makes everything old, as it is in a checkout that has been there for a while. */
function settle(root: string): void {
  execFileSync('find', [root, '-type', 'f', '-exec', 'touch', '-d', '2 days ago', '{}', '+']);
}

/** What a change to a directory counts as. `later`: the clock of the snapshot, so that files count as old although a test has just made them. */
async function artifacts(root: string, change: () => void, later = 60_000): Promise<string[]> {
  const before = await snapshotTree(request(root, { now: Date.now() + later }));
  change();
  return await changedSince(before, request(root));
}

describe.each([
  ['outside git', (files: Record<string, string>) => {
    const root = folder();
    put(root, files);
    return root;
  }],
  ['in a repository', (files: Record<string, string>) => repository(files)],
])('%s', (_where, make) => {
  it('lists what was created and changed, not what was deleted, touched or made executable', async () => {
    const root = make({ 'kept.txt': 'a', 'edited.txt': 'a', 'deleted.txt': 'a', 'touched.txt': 'a', 'deep/er/edited.txt': 'a', 'mode.sh': 'a' });
    expect(await artifacts(root, () => {
      put(root, { 'edited.txt': 'longer', 'deep/er/edited.txt': 'b', 'deep/new.txt': '', 'new.bin': Buffer.from([0, 255]) });
      rmSync(join(root, 'deleted.txt'));
      utimesSync(join(root, 'touched.txt'), new Date(), new Date());
      chmodSync(join(root, 'mode.sh'), 0o755);
    })).toEqual(['deep/er/edited.txt', 'deep/new.txt', 'edited.txt', 'new.bin']);
  });

  it('sees an edit of the same size and time', async () => {
    const root = make({ 'a.txt': 'one' });
    expect(await artifacts(root, () => {
      const { atime, mtime } = statSync(join(root, 'a.txt'));
      writeFileSync(join(root, 'a.txt'), 'two');
      utimesSync(join(root, 'a.txt'), atime, mtime);
    })).toEqual(['a.txt']);
  });

  it('sees an edit of the same size in the moment after the snapshot', async () => {
    const root = make({ 'a.txt': 'one' });
    put(root, { 'a.txt': 'two' });
    expect(await artifacts(root, () => put(root, { 'a.txt': 'six' }), 0)).toEqual(['a.txt']);
  });

  it('does not count content that came back, or a file put in the place of an equal one', async () => {
    const root = make({ 'a.txt': 'one', 'b.txt': 'same' });
    expect(await artifacts(root, () => {
      put(root, { 'a.txt': 'two', 'c.txt': 'same' });
      put(root, { 'a.txt': 'one' });
      renameSync(join(root, 'c.txt'), join(root, 'b.txt'));
    })).toEqual([]);
  });

  it('skips .git, .relayflowd, node_modules and the data directory, and does not follow links', async () => {
    const root = make({ 'src/a.txt': 'a' });
    const outside = folder();
    expect(await artifacts(root, () => {
      put(root, { 'x/.git/a': '', 'x/.relayflowd/a': '', 'x/node_modules/a/b': '', 'data/runs/log': '', 'x/data/log': '' });
      put(outside, { 'file': 'x' });
      symlinkSync(outside, join(root, 'linked-folder'));
      symlinkSync(join(outside, 'file'), join(root, 'linked-file'));
      execFileSync('mkfifo', [join(root, 'pipe')]);
    })).toEqual(['x/data/log']);
  });

  it('takes any name', async () => {
    const root = make({ 'ümläut "quoted".txt': 'a', ' blank ': 'a', 'new\nline': 'a' });
    const bytes = Buffer.concat([Buffer.from(`${root}/not-utf8-`), Buffer.from([0xff])]);
    expect(await artifacts(root, () => {
      put(root, { 'ümläut "quoted".txt': 'b', ' blank ': 'b', 'new\nline': 'b', '-dash': '', 'tab\t': '' });
      writeFileSync(bytes, '');
    })).toEqual([' blank ', '-dash', 'new\nline', 'not-utf8-\uFFFD', 'tab\t', 'ümläut "quoted".txt'].sort());
  });

  it('follows a file that becomes a folder and a folder that becomes a file', async () => {
    const root = make({ 'a': 'a', 'b/c': 'c' });
    expect(await artifacts(root, () => {
      rmSync(join(root, 'a'));
      rmSync(join(root, 'b'), { recursive: true });
      put(root, { 'a/c': 'c', 'b': 'a' });
    })).toEqual(['a/c', 'b']);
  });
});

describe('with git', () => {
  it('sees changes of ignored files and of files whose change was committed', async () => {
    const root = repository({ '.gitignore': 'out/\n', 'a.txt': 'a', 'b.txt': 'b' });
    put(root, { 'out/old': 'x', 'out/kept': 'x' });
    expect(await artifacts(root, () => {
      put(root, { 'out/old': 'y', 'out/new': '', 'a.txt': 'c' });
      execFileSync('git', ['commit', '-qam', 'second'], { cwd: root });
    })).toEqual(['a.txt', 'out/new', 'out/old']);
  });

  it('below the top of the repository', async () => {
    const root = repository({ 'a/x.txt': 'a', 'b/x.txt': 'b', 'a/y.txt': 'y' });
    expect(await artifacts(join(root, 'a'), () => {
      put(root, { 'a/x.txt': 'A', 'b/x.txt': 'B' });
      utimesSync(join(root, 'a/y.txt'), new Date(), new Date());
    })).toEqual(['x.txt']);
  });

  it('is not misled by line endings that git converts', async () => {
    const root = repository({ '.gitattributes': '* text eol=crlf\n', 'touched.txt': 'a\r\nb\r\n', 'edited.txt': 'a\r\nb\r\n', 'same-size.txt': 'a\r\nb\r\n' });
    expect(await artifacts(root, () => {
      utimesSync(join(root, 'touched.txt'), new Date(), new Date());
      put(root, { 'edited.txt': 'a\nb\n', 'same-size.txt': 'a\r\nc\r\n' });
    })).toEqual(['edited.txt', 'same-size.txt']);
  });

  it.each([2, 4])('reads version %d of the index', async (version) => {
    const root = repository({ 'a/one.txt': '1', 'a/two.txt': '2', 'b.txt': '3' });
    execFileSync('git', ['update-index', '--index-version', String(version)], { cwd: root });
    const before = await snapshotTree(request(root, { now: Date.now() + 60_000 }));
    expect([...before].map(([name, { content }]) => `${name} ${content.slice(0, 4)}`).sort()).toEqual(['a/one.txt git:', 'a/two.txt git:', 'b.txt git:']);
  });

  it('reads an index of sha256, a split one, one with intents, and does without a damaged one', async () => {
    const shape = async (root: string): Promise<string[]> => await artifacts(root, () => put(root, { 'a.txt': 'x', 'b.txt': 'b' }));
    const root = repository({ 'a.txt': 'a' });
    execFileSync('git', ['update-index', '--split-index'], { cwd: root });
    expect(await shape(root)).toEqual(['a.txt', 'b.txt']);
    put(root, { 'intent.txt': 'i' });
    execFileSync('git', ['add', '-N', 'intent.txt'], { cwd: root });
    expect(await shape(root)).toEqual([]);
    writeFileSync(join(root, '.git', 'index'), 'garbage');
    appendFileSync(join(root, 'a.txt'), 'more');
    expect(await shape(root)).toEqual(['a.txt']);
    const newer = folder();
    execFileSync('git', ['init', '-q', '--object-format=sha256'], { cwd: newer });
    put(newer, { 'a.txt': 'a' });
    execFileSync('git', ['add', '-A'], { cwd: newer });
    expect(await shape(newer)).toEqual(['a.txt', 'b.txt']);
  });

  it('reads no file that git vouches for', async () => {
    const root = folder();
    for (let i = 0; i < 10; i += 1) {
      mkdirSync(join(root, `d${i}`));
      for (let j = 0; j < 100; j += 1) writeFileSync(join(root, `d${i}`, `f${j}`), `${i} ${j}`);
    }
    execFileSync('git', ['init', '-q'], { cwd: root });
    settle(root);
    execFileSync('git', ['add', '-A'], { cwd: root });
    const before = await snapshotTree(request(root, { now: Date.now() + 60_000 }));
    expect(before.size).toBe(1_000);
    expect([...before.values()].filter(({ content }) => content.startsWith('sha256:'))).toEqual([]);
  });
});

it('a folder that may not be read fails the comparison', async () => {
  const root = folder();
  put(root, { 'secret/a': 'a' });
  chmodSync(root, 0o755);
  chmodSync(join(root, 'secret'), 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    await expect(snapshotTree(request(root))).rejects.toMatchObject({ code: 'EACCES' });
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(join(root, 'secret'), 0o755);
  }
});
