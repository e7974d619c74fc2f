import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Runner, RunnerRepo, WorkspaceRef } from '../../../src/runner/port.js';
import { createGit, type Git } from '../../../src/runner/git/git.js';
import { createWorktreeRunner } from '../../../src/runner/worktree/worktree-runner.js';
import { GitScene } from '../git-scene.js';
import { refusalOf } from '../refusal.js';

const scenes: GitScene[] = [];
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.clear();
});

function stage(options: { readonly config?: unknown; readonly gitconfig?: string; readonly env?: Readonly<Record<string, string>>; readonly repo?: string } = {}): {
  readonly scene: GitScene; readonly repo: RunnerRepo; readonly runner: Runner; readonly at: (ticket: string) => WorkspaceRef; readonly place: (ticket: string) => string; readonly git: Git;
} {
  const scene = new GitScene(options.gitconfig);
  scenes.push(scene);
  const repo = { name: 'shop', path: scene.repository(options.repo ?? 'shop') };
  const env = { ...scene.env, ...options.env };
  return {
    scene,
    repo,
    runner: createWorktreeRunner({ home: scene.home, config: options.config ?? {}, env }),
    at: (ticket) => ({ repo, ticket }),
    place: (ticket) => path.join(scene.home, 'worktrees', 'shop', ticket),
    git: createGit({ env }),
  };
}

test('a ticket gets a worktree outside of the repository, on a branch of its own', async () => {
  const { scene, repo, runner, at, place } = stage();
  await runner.probe({ signal: new AbortController().signal });
  await runner.ensureRepo(repo);
  const workspace = await runner.ensureWorkspace(at('SHOP-1'));
  expect(workspace).toEqual({ ticket: 'SHOP-1', path: place('SHOP-1'), branch: 'relay/SHOP-1' });
  expect(readFileSync(path.join(workspace.path, 'README.md'), 'utf8')).toBe('Hello\n');
  expect(await runner.ensureWorkspace(at('SHOP-1'))).toEqual(workspace);
  expect(await runner.listWorkspaces(repo)).toEqual([workspace]);
  expect(scene.git(repo.path, 'status', '--porcelain')).toBe('');
});

describe('what the branch begins at', () => {
  test('the configured reference', async () => {
    const { scene, repo, runner, at } = stage({ config: { baseRef: 'release' } });
    scene.git(repo.path, 'branch', 'release');
    const before = scene.git(repo.path, 'rev-parse', 'HEAD');
    scene.commit(repo.path, 'later', 'x');
    expect(scene.git((await runner.ensureWorkspace(at('A'))).path, 'rev-parse', 'HEAD')).toBe(before);
  });

  test('a configured reference that is not there is refused', async () => {
    const { runner, repo, at } = stage({ config: { baseRef: 'nowhere' } });
    expect(await refusalOf(runner.ensureWorkspace(at('A')))).toMatchObject({ code: 'runner_rejected', text: expect.stringContaining('nowhere') });
    expect(await refusalOf(runner.ensureRepo(repo))).toMatchObject({ code: 'runner_rejected' });
  });

  test('the default branch of the remote, before the branch that is checked out', async () => {
    const { scene, repo, runner, at } = stage();
    scene.remote(repo.path);
    const pushed = scene.git(repo.path, 'rev-parse', 'HEAD');
    scene.git(repo.path, 'checkout', '--quiet', '-b', 'mine');
    scene.commit(repo.path, 'mine', 'x');
    const { path: worktree } = await runner.ensureWorkspace(at('A'));
    expect(scene.git(worktree, 'rev-parse', 'HEAD')).toBe(pushed);
    // With an upstream, "git push" would push the ticket's work to the default branch.
    expect(() => scene.git(worktree, 'rev-parse', '@{upstream}')).toThrow();
  });

  test('the branch of the main worktree', async () => {
    const { scene, repo, runner, at } = stage();
    const tip = scene.commit(repo.path, 'b', 'x');
    expect(scene.git((await runner.ensureWorkspace(at('A'))).path, 'rev-parse', 'HEAD')).toBe(tip);
  });

  test('a detached main worktree', async () => {
    const { scene, repo, runner, at } = stage();
    const first = scene.git(repo.path, 'rev-parse', 'HEAD');
    scene.commit(repo.path, 'b', 'x');
    scene.git(repo.path, 'checkout', '--quiet', '--detach', first);
    expect(scene.git((await runner.ensureWorkspace(at('A'))).path, 'rev-parse', 'HEAD')).toBe(first);
  });

  test('a branch of the ticket that exists is used, and one that was pushed from elsewhere too', async () => {
    const { scene, repo, runner, at } = stage();
    const first = scene.git(repo.path, 'rev-parse', 'HEAD');
    scene.git(repo.path, 'branch', 'relay/A');
    scene.git(repo.path, 'tag', 'relay/A');
    scene.commit(repo.path, 'b', 'x');
    scene.git(repo.path, 'tag', '-f', 'relay/A');
    const a = await runner.ensureWorkspace(at('A'));
    expect([a.branch, scene.git(a.path, 'rev-parse', 'HEAD'), scene.git(a.path, 'status', '--porcelain')]).toEqual(['relay/A', first, '']);

    scene.remote(repo.path);
    scene.git(repo.path, 'push', '--quiet', 'origin', `${first}:refs/heads/relay/B`);
    scene.git(repo.path, 'fetch', '--quiet', 'origin');
    const b = await runner.ensureWorkspace(at('B'));
    expect([b.branch, scene.git(b.path, 'rev-parse', 'HEAD'), scene.git(b.path, 'rev-parse', '--abbrev-ref', '@{upstream}')]).toEqual(['relay/B', first, 'origin/relay/B']);
  });
});

describe('kinds of repositories', () => {
  test('without a commit: refused until there is one', async () => {
    const { scene, runner } = stage();
    const unborn = { name: 'new', path: scene.path('new') };
    mkdirSync(unborn.path);
    scene.git(unborn.path, 'init', '--quiet');
    expect(await refusalOf(runner.ensureRepo(unborn))).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining('no commit yet') });
    expect(await refusalOf(runner.ensureWorkspace({ repo: unborn, ticket: 'A' }))).toMatchObject({ code: 'runner_conflict' });
    scene.commit(unborn.path, 'a', 'x');
    expect(await runner.ensureWorkspace({ repo: unborn, ticket: 'A' })).toMatchObject({ branch: 'relay/A' });
  });

  test('bare', async () => {
    const { scene, repo, runner } = stage();
    const bare = { name: 'bare', path: scene.remote(repo.path) };
    await runner.ensureRepo(bare);
    const workspace = await runner.ensureWorkspace({ repo: bare, ticket: 'A' });
    expect(existsSync(path.join(workspace.path, 'README.md'))).toBe(true);
    expect(await runner.listWorkspaces(bare)).toEqual([workspace]);
    await runner.removeWorkspace({ repo: bare, ticket: 'A' });
    expect(existsSync(workspace.path)).toBe(false);
  });

  test('shallow', async () => {
    const { scene, repo, runner } = stage();
    scene.commit(repo.path, 'b', 'x');
    scene.git(scene.folder, 'clone', '--quiet', '--depth', '1', `file://${repo.path}`, 'shallow');
    const shallow = { name: 'shallow', path: scene.path('shallow') };
    await runner.ensureRepo(shallow);
    const workspace = await runner.ensureWorkspace({ repo: shallow, ticket: 'A' });
    expect(scene.git(workspace.path, 'rev-list', '--count', 'HEAD')).toBe('1');
    await runner.removeWorkspace({ repo: shallow, ticket: 'A' });
    expect(existsSync(workspace.path)).toBe(false);
  });

  test.each(['with a space', 'it\'s "quoted"', 'café 日本', 'two\nlines', '$(touch x)`y`', '-dash'])('at a path like %j', async (name) => {
    const { scene, repo, runner, at } = stage({ repo: name });
    await runner.ensureRepo(repo);
    const workspace = await runner.ensureWorkspace(at('A'));
    expect(scene.git(workspace.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('relay/A');
    expect(await runner.ensureWorkspace(at('A'))).toEqual(workspace);
    await runner.removeWorkspace(at('A'));
    expect(await runner.listWorkspaces(repo)).toEqual([]);
  });

  test.each(['with a space', 'it\'s "quoted"', 'café 日本', 'two\nlines'])('with worktrees at a path like %j', async (name) => {
    const scene = new GitScene();
    scenes.push(scene);
    const repo = { name: 'shop', path: scene.repository('shop') };
    const runner = createWorktreeRunner({ home: scene.home, config: { root: scene.path(name) }, env: scene.env });
    const workspace = await runner.ensureWorkspace({ repo, ticket: 'A' });
    expect(workspace.path).toBe(scene.path(name, 'shop', 'A'));
    expect(await runner.listWorkspaces(repo)).toEqual([workspace]);
    rmSync(workspace.path, { recursive: true });
    expect(await runner.prune(repo)).toEqual([workspace.path]);
  });

  test.each(['a b', 'x/../../y', '..', '.git', 'a..b', 'ends.', 'a.lock', 'Ü~^:?*[\\', '-x', 'q\'"\n', 'a@{b', '@', '#12', 'a%20b', 'bd-a3f8.1'])('a ticket with the key %j', async (ticket) => {
    const { scene, repo, runner, at } = stage();
    const workspace = await runner.ensureWorkspace(at(ticket));
    expect(path.dirname(workspace.path)).toBe(path.dirname(scene.path('home', 'worktrees', 'shop', 'x')));
    expect(await runner.listWorkspaces(repo)).toEqual([workspace]);
    await runner.removeWorkspace(at(ticket));
    expect(existsSync(workspace.path)).toBe(false);
  });

  test('what is no repository, only a part of one, or would hold its own worktrees is refused', async () => {
    const { scene, repo, runner } = stage();
    mkdirSync(path.join(repo.path, 'part'));
    mkdirSync(scene.path('plain'));
    writeFileSync(scene.path('file'), '');
    const check = async (at: string): Promise<unknown> => ((error) => [error.code, error.text])(await refusalOf(runner.ensureRepo({ name: 'x', path: at })));
    expect(await check(path.join(repo.path, 'part'))).toEqual(['runner_rejected', `${path.join(repo.path, 'part')} is a folder of the repository at ${repo.path}.`]);
    expect(await check(path.join(repo.path, '.git'))).toEqual(['runner_rejected', `${path.join(repo.path, '.git')} is inside of the administration of a repository.`]);
    expect(await check(scene.path('plain'))).toEqual(['runner_rejected', `There is no git repository at ${scene.path('plain')}.`]);
    expect(await check(scene.path('file'))).toEqual(['runner_rejected', expect.stringContaining('not a folder')]);
    expect(await check(scene.path('gone'))).toEqual(['runner_missing', expect.stringContaining('not at')]);
    const inside = createWorktreeRunner({ home: path.join(repo.path, 'part', 'home'), config: {}, env: scene.env });
    expect(await refusalOf(inside.ensureRepo(repo))).toMatchObject({ code: 'runner_rejected', text: expect.stringContaining('in the repository shop itself') });
  });
});

describe('settings and environments of people', () => {
  test('do not change what happens', async () => {
    const gitconfig = [
      '[core]', 'quotePath = true', 'fsmonitor = "touch fsmonitor-ran; false"', '[status]', 'showUntrackedFiles = no', 'short = true', 'branch = true', 'relativePaths = true',
      '[branch]', 'autoSetupMerge = always', 'autoSetupRebase = always', '[color]', 'ui = always', '[submodule]', 'recurse = true', '[diff]', 'ignoreSubmodules = all',
      '[worktree]', 'guessRemote = true', '[log]', 'showSignature = true', '[alias]', 'worktree = !touch alias-ran', '',
    ].join('\n');
    const { scene, repo, runner, at } = stage({
      gitconfig,
      env: { GIT_DIR: '/nowhere', GIT_WORK_TREE: '/nowhere', GIT_INDEX_FILE: '/nowhere', GIT_COMMON_DIR: '/nowhere', GIT_NAMESPACE: 'x', GIT_TRACE: '1', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.bare', GIT_CONFIG_VALUE_0: 'true', LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de' },
    });
    // The git that made the repository for us obeyed them.
    rmSync(path.join(repo.path, 'fsmonitor-ran'), { force: true });
    const workspace = await runner.ensureWorkspace(at('ä b'));
    expect(workspace).toMatchObject({ branch: 'relay/ä%20b' });
    expect(() => scene.git(workspace.path, 'rev-parse', '@{upstream}')).toThrow();
    writeFileSync(path.join(workspace.path, 'ü.txt'), 'x');
    expect(await refusalOf(runner.removeWorkspace(at('ä b')))).toMatchObject({ code: 'runner_unsaved_work', evidence: { unsaved: ['1 untracked file ("ü.txt")'] } });
    rmSync(path.join(workspace.path, 'ü.txt'));
    await runner.removeWorkspace(at('ä b'));
    expect(await runner.listWorkspaces(repo)).toEqual([]);
    expect(existsSync(path.join(repo.path, 'fsmonitor-ran'))).toBe(false);
  });

  test('hooks run, and one that fails does not undo the worktree', async () => {
    const { repo, runner, at, place } = stage();
    const hook = path.join(repo.path, '.git', 'hooks', 'post-checkout');
    writeFileSync(hook, '#!/bin/sh\npwd > hook-ran\necho "fatal: secret of the hook" >&2\nexit 3\n');
    chmodSync(hook, 0o755);
    const workspace = await runner.ensureWorkspace(at('A'));
    expect(workspace.branch).toBe('relay/A');
    expect(readFileSync(path.join(place('A'), 'hook-ran'), 'utf8')).toBe(`${place('A')}\n`);
  });
});

describe('stale registrations', () => {
  test('a folder that is gone is made again on the same branch, and others that are gone stay registered', async () => {
    const { scene, repo, runner, at, place } = stage();
    scene.git(repo.path, 'worktree', 'add', '--quiet', scene.path('drive'), '-b', 'theirs');
    rmSync(scene.path('drive'), { recursive: true });
    const { path: worktree } = await runner.ensureWorkspace(at('A'));
    const work = scene.commit(worktree, 'work', 'x');
    rmSync(worktree, { recursive: true });
    expect(await runner.ensureWorkspace(at('A'))).toEqual({ ticket: 'A', path: place('A'), branch: 'relay/A' });
    expect(scene.git(worktree, 'rev-parse', 'HEAD')).toBe(work);
    expect(scene.git(repo.path, 'worktree', 'list')).toContain(scene.path('drive'));
    expect(await runner.prune(repo)).toEqual([]);
  });

  test('the whole folder of worktrees was moved', async () => {
    const { scene, repo, runner, at } = stage();
    const { path: worktree } = await runner.ensureWorkspace(at('A'));
    writeFileSync(path.join(worktree, 'draft'), 'x');
    renameSync(scene.home, scene.path('home2'));
    const moved = createWorktreeRunner({ home: scene.path('home2'), config: {}, env: scene.env });
    const workspace = await moved.ensureWorkspace(at('A'));
    expect(workspace).toEqual({ ticket: 'A', path: scene.path('home2', 'worktrees', 'shop', 'A'), branch: 'relay/A' });
    expect(scene.git(workspace.path, 'status', '--porcelain')).toBe('?? draft');
    expect(await moved.listWorkspaces(repo)).toEqual([workspace]);
  });

  test('another one that cannot be repaired is not in the way', async () => {
    const { scene, repo, runner, at } = stage();
    await runner.ensureWorkspace(at('A'));
    scene.git(repo.path, 'worktree', 'add', '--quiet', '-b', 'theirs', scene.path('theirs'));
    rmSync(scene.path('theirs', '.git'));
    mkdirSync(scene.path('theirs', '.git'));
    renameSync(scene.home, scene.path('home2'));
    const moved = createWorktreeRunner({ home: scene.path('home2'), config: {}, env: scene.env });
    expect(await moved.ensureWorkspace(at('A'))).toMatchObject({ branch: 'relay/A' });
    await moved.removeWorkspace(at('A'));
    expect(await moved.listWorkspaces(repo)).toEqual([]);
  });

  test('prune makes moved folders known again before it forgets any', async () => {
    const { scene, repo, runner, at } = stage();
    await runner.ensureWorkspace(at('A'));
    renameSync(scene.home, scene.path('home2'));
    const moved = createWorktreeRunner({ home: scene.path('home2'), config: {}, env: scene.env });
    expect(await moved.prune(repo)).toEqual([]);
    expect(await moved.listWorkspaces(repo)).toHaveLength(1);
  });

  test('the repository was moved', async () => {
    const { scene, repo, runner, at } = stage();
    const before = await runner.ensureWorkspace(at('A'));
    renameSync(repo.path, scene.path('shop2'));
    const workspace = await runner.ensureWorkspace({ repo: { name: 'shop', path: scene.path('shop2') }, ticket: 'A' });
    expect(workspace).toEqual(before);
    expect(scene.git(workspace.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('relay/A');
  });

  test('a locked one whose folder is gone is named and left alone', async () => {
    const { scene, repo, runner, at, place } = stage();
    await runner.ensureWorkspace(at('A'));
    scene.git(repo.path, 'worktree', 'lock', '--reason', 'on the drive', place('A'));
    renameSync(place('A'), scene.path('drive'));
    const refusal = await refusalOf(runner.ensureWorkspace(at('A')));
    expect(refusal).toMatchObject({ code: 'runner_conflict', kind: 'conflict', text: `The worktree at ${place('A')} is locked (on the drive), and its folder is gone.` });
    expect(await refusalOf(runner.removeWorkspace(at('A')))).toMatchObject({ code: 'runner_conflict' });
    expect(await runner.prune(repo)).toEqual([]);
    renameSync(scene.path('drive'), place('A'));
    expect(await runner.ensureWorkspace(at('A'))).toMatchObject({ branch: 'relay/A' });
  });

  test('commits that only a forgotten worktree had are kept', async () => {
    const { scene, repo, runner, at, place } = stage();
    await runner.ensureWorkspace(at('A'));
    scene.git(place('A'), 'checkout', '--quiet', '--detach');
    const work = scene.commit(place('A'), 'work', 'x');
    rmSync(place('A'), { recursive: true });
    await runner.ensureWorkspace(at('A'));
    expect(scene.git(repo.path, 'for-each-ref', '--format=%(objectname)', 'refs/relay/kept')).toBe(work);
  });

  test('what a killed git left is waited for, and cleared once nobody can be at it', async () => {
    const { scene, repo, runner, at, place } = stage();
    await runner.ensureWorkspace(at('A'));
    // As SIGKILL leaves it: locked by git itself, files missing.
    const lock = path.join(repo.path, '.git', 'worktrees', 'A', 'locked');
    writeFileSync(lock, 'initializing');
    rmSync(path.join(place('A'), 'README.md'));
    expect(await refusalOf(runner.ensureWorkspace(at('A')))).toMatchObject({ code: 'runner_unavailable', kind: 'transient' });
    utimesSync(lock, 0, 0);
    await runner.ensureWorkspace(at('A'));
    expect(scene.git(place('A'), 'status', '--porcelain')).toBe('');
    expect(existsSync(lock)).toBe(false);
  });

  test('a git that was really killed while it wrote files', async () => {
    const { scene, repo, runner, at, place } = stage();
    scene.commit(repo.path, '.gitattributes', 'README.md filter=slow\n');
    scene.git(repo.path, 'config', 'filter.slow.smudge', `touch ${scene.path('at-work')}; sleep 60; cat`);
    await runner.listWorkspaces(repo);
    const adding = spawn('git', ['-C', repo.path, 'worktree', 'add', '-b', 'relay/A', place('A')], { env: { ...scene.env, LC_ALL: 'C' }, stdio: 'ignore', detached: true });
    const ended = once(adding, 'exit');
    await vi.waitUntil(() => existsSync(scene.path('at-work')), { timeout: 60_000 });
    process.kill(-(adding.pid ?? Number.NaN), 'SIGKILL');
    await ended;
    scene.git(repo.path, 'config', 'filter.slow.smudge', 'cat');
    expect(await refusalOf(runner.ensureWorkspace(at('A')))).toMatchObject({ code: 'runner_unavailable', kind: 'transient', text: expect.stringContaining('being made') });
    const later = createWorktreeRunner({ home: scene.home, config: {}, env: scene.env, now: () => Date.now() + 3_600_000 });
    expect(await later.ensureWorkspace(at('A'))).toEqual({ ticket: 'A', path: place('A'), branch: 'relay/A' });
    expect([scene.git(place('A'), 'status', '--porcelain'), readFileSync(path.join(place('A'), 'README.md'), 'utf8')]).toEqual(['', 'Hello\n']);
  });

  test.each(['gone', 'empty'])('what a killed git left before it made a file is cleared as well, its folder %s', async (folder) => {
    const { scene, repo, runner, at, place } = stage();
    await runner.ensureWorkspace(at('A'));
    const lock = path.join(repo.path, '.git', 'worktrees', 'A', 'locked');
    writeFileSync(lock, 'initializing');
    utimesSync(lock, 0, 0);
    rmSync(place('A'), { recursive: true });
    if (folder === 'empty') mkdirSync(place('A'));
    await runner.ensureWorkspace(at('A'));
    expect(scene.git(place('A'), 'status', '--porcelain')).toBe('');
  });
});

describe('what is in the place already', () => {
  const foreign: readonly (readonly [what: string, make: (place: string, scene: GitScene, repo: RunnerRepo) => void])[] = [
    ['a folder with "notes.txt"', (place) => { mkdirSync(place, { recursive: true }); writeFileSync(path.join(place, 'notes.txt'), 'mine'); }],
    ['a file', (place) => { mkdirSync(path.dirname(place), { recursive: true }); writeFileSync(place, 'mine'); }],
    ['a link', (place, scene) => { mkdirSync(path.dirname(place), { recursive: true }); symlinkSync(scene.path('shop'), place); }],
    ['a repository of its own', (place, scene) => { mkdirSync(place, { recursive: true }); scene.git(place, 'init', '--quiet'); }],
    ['a worktree of another repository', (place, scene) => { scene.git(scene.repository('other'), 'worktree', 'add', '--quiet', place); }],
    ['a worktree that its repository has forgotten', (place, scene, repo) => {
      scene.git(repo.path, 'worktree', 'add', '--quiet', scene.path('w'));
      renameSync(scene.path('w'), scene.path('away'));
      scene.git(repo.path, 'worktree', 'prune');
      mkdirSync(path.dirname(place), { recursive: true });
      renameSync(scene.path('away'), place);
    }],
    ['a copy of the worktree at', (place, scene, repo) => {
      scene.git(repo.path, 'worktree', 'add', '--quiet', scene.path('w'));
      cpSync(scene.path('w'), place, { recursive: true });
    }],
    ['a folder with a file .git', (place) => { mkdirSync(place, { recursive: true }); writeFileSync(path.join(place, '.git'), 'mine'); }],
  ];
  test.each(foreign)('%s is never touched', async (what, make) => {
    const { scene, repo, runner, at, place } = stage();
    make(place('A'), scene, repo);
    const refusal = await refusalOf(runner.ensureWorkspace(at('A')));
    expect(refusal).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining(what), hint: expect.stringContaining('Nothing in it was touched') });
    expect(refusal.text).toContain(place('A'));
    expect(await refusalOf(runner.removeWorkspace(at('A')))).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining(what) });
    expect(existsSync(place('A'))).toBe(true);
    renameSync(place('A'), scene.path('moved away'));
    expect(await runner.ensureWorkspace(at('A'))).toMatchObject({ branch: 'relay/A' });
  });

  test('an empty folder is used', async () => {
    const { runner, at, place } = stage();
    mkdirSync(place('A'), { recursive: true });
    expect(await runner.ensureWorkspace(at('A'))).toMatchObject({ branch: 'relay/A' });
  });

  test('another branch that a person has checked out there is accepted and said', async () => {
    const { scene, runner, at, place } = stage();
    await runner.ensureWorkspace(at('A'));
    scene.git(place('A'), 'checkout', '--quiet', '-b', 'fix');
    expect(await runner.ensureWorkspace(at('A'))).toEqual({
      ticket: 'A', path: place('A'), branch: 'fix', note: `The worktree at ${place('A')} has the branch fix checked out, not relay/A: it is used as it is.`,
    });
    scene.git(place('A'), 'checkout', '--quiet', '--detach');
    expect(await runner.ensureWorkspace(at('A'))).toEqual({ ticket: 'A', path: place('A'), note: expect.stringContaining('no branch') });
  });

  test('the ticket\'s branch checked out somewhere else is refused with the place', async () => {
    const { scene, repo, runner, at } = stage();
    scene.git(repo.path, 'checkout', '--quiet', '-b', 'relay/A');
    expect(await refusalOf(runner.ensureWorkspace(at('A')))).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining(`checked out at ${repo.path}`) });
    scene.git(repo.path, 'worktree', 'add', '--quiet', '-b', 'relay/B', scene.path('look'));
    expect(await refusalOf(runner.ensureWorkspace(at('B')))).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining(scene.path('look')) });
    rmSync(scene.path('look'), { recursive: true });
    expect(await runner.ensureWorkspace(at('B'))).toMatchObject({ branch: 'relay/B' });
  });

  test('a branch called relay is in the way of all', async () => {
    const { scene, repo, runner, at } = stage();
    scene.git(repo.path, 'branch', 'relay');
    expect(await refusalOf(runner.ensureWorkspace(at('A')))).toMatchObject({ code: 'runner_conflict', text: 'The branch relay/A cannot be made, because there is a branch relay.' });
  });
});

describe('several at once', () => {
  test('for one ticket, in one server and in several processes\' worth of runners', async () => {
    const { scene, repo, runner, at } = stage();
    const others = [1, 2, 3].map(() => createWorktreeRunner({ home: scene.home, config: {}, env: scene.env }));
    const all = await Promise.all([runner, runner, ...others].map((each) => each.ensureWorkspace(at('A'))));
    expect(new Set(all.map((each) => each.path)).size).toBe(1);
    expect(await runner.listWorkspaces(repo)).toHaveLength(1);
  });

  test('for many tickets', async () => {
    const { repo, runner, at } = stage();
    await Promise.all(Array.from({ length: 8 }, (_, index) => runner.ensureWorkspace(at(`T-${index}`))));
    expect(new Set((await runner.listWorkspaces(repo)).map((each) => each.branch))).toEqual(new Set(Array.from({ length: 8 }, (_, index) => `relay/T-${index}`)));
  });
});

test('an answer that was lost is found out by looking', async () => {
  const { scene, repo, at, git } = stage();
  let adds = 0;
  const losing: Git = async (call) => {
    const answer = await git(call);
    if (!(call.args[0] === 'worktree' && call.args[1] === 'add')) return answer;
    adds += 1;
    return { exitCode: 128, stdout: '', stderr: '', failure: 'timeout' };
  };
  const runner = createWorktreeRunner({ home: scene.home, config: {}, git: losing });
  expect(await runner.ensureWorkspace(at('A'))).toMatchObject({ branch: 'relay/A' });
  expect(adds).toBe(1);
  expect(await runner.listWorkspaces(repo)).toHaveLength(1);
});

test('a lock that was left in the repository is named', async () => {
  const { repo, runner, at } = stage();
  const lock = path.join(repo.path, '.git', 'refs', 'heads', 'relay', 'A.lock');
  mkdirSync(path.dirname(lock), { recursive: true });
  writeFileSync(lock, '');
  expect(await refusalOf(runner.ensureWorkspace(at('A')))).toMatchObject({ code: 'runner_unavailable', kind: 'transient', hint: `If no git is running there, delete ${lock}.` });
  rmSync(lock);
  expect(await runner.ensureWorkspace(at('A'))).toMatchObject({ branch: 'relay/A' });
});

test('a repository that is gone is said to be', async () => {
  const { repo, runner, at } = stage();
  rmSync(repo.path, { recursive: true });
  for (const call of [() => runner.ensureWorkspace(at('A')), () => runner.removeWorkspace(at('A')), () => runner.validateRepo(repo)]) expect(await refusalOf(call())).toMatchObject({ code: 'runner_missing' });
});

test('git that is missing, and settings that are wrong', async () => {
  const { scene } = stage();
  const runner = createWorktreeRunner({ home: scene.home, config: {}, env: { PATH: scene.path('nothing') } });
  expect(await refusalOf(runner.probe({ signal: new AbortController().signal }))).toMatchObject({ code: 'runner_missing', text: 'git could not be started.' });
  for (const config of [{ root: 'relative' }, { baseref: 'x' }, { baseRef: '' }, { baseRef: '--all' }, { baseRef: null }]) {
    expect(() => createWorktreeRunner({ home: scene.home, config })).toThrow(/runnerConfig/);
  }
});
