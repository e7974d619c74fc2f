import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RelayError } from '../../../src/errors/relay-error.js';
import { createGit, type Git } from '../../../src/runner/git/git.js';
import { createWorktreeRunner } from '../../../src/runner/worktree/worktree-runner.js';
import { GitScene } from '../git-scene.js';
import { refusalOf } from '../refusal.js';

const scenes: GitScene[] = [];
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.clear();
});

/** A ticket's worktree, and what is asked of it. */
async function stage(options: { readonly remote?: boolean; readonly prepare?: (scene: GitScene, repo: string) => void } = {}): Promise<{
  readonly scene: GitScene; readonly repo: string; readonly worktree: string; readonly remove: () => Promise<void>; readonly refused: () => Promise<RelayError>; readonly branches: () => string;
}> {
  const scene = new GitScene();
  scenes.push(scene);
  const repo = scene.repository('shop');
  options.prepare?.(scene, repo);
  if (options.remote === true) scene.remote(repo);
  const runner = createWorktreeRunner({ home: scene.home, config: {}, env: scene.env });
  const at = { repo: { name: 'shop', path: repo }, ticket: 'A' };
  const { path: worktree } = await runner.ensureWorkspace(at);
  const remove = (): Promise<void> => runner.removeWorkspace(at);
  return { scene, repo, worktree, remove, refused: () => refusalOf(remove()), branches: () => scene.git(repo, 'branch', '--list', 'relay/*', '--format=%(refname:short)') };
}

function unsavedIn(refusal: RelayError): unknown {
  expect(refusal.code).toBe('runner_unsaved_work');
  return refusal.evidence['unsaved'];
}

describe('a worktree is kept while it holds', () => {
  test('changed, staged and untracked files', async () => {
    const { scene, worktree, refused, remove } = await stage();
    writeFileSync(path.join(worktree, 'README.md'), 'changed');
    writeFileSync(path.join(worktree, 'staged'), 'x');
    scene.git(worktree, 'add', 'staged');
    mkdirSync(path.join(worktree, 'deep'));
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(path.join(worktree, 'deep', name), 'x');
    const refusal = await refused();
    expect(refusal.text).toBe(`The worktree at ${worktree} was not removed, because it holds 2 uncommitted files ("README.md", "staged") and 4 untracked files ("deep/a", "deep/b", "deep/c" and 1 more).`);
    expect(refusal).toMatchObject({ kind: 'conflict', evidence: { path: worktree, branch: 'relay/A' } });
    expect(existsSync(path.join(worktree, 'deep', 'a'))).toBe(true);
    scene.git(worktree, 'reset', '--quiet', '--hard');
    scene.git(worktree, 'clean', '-qfd');
    await remove();
    expect(existsSync(worktree)).toBe(false);
  });

  test('changes that git was told not to look at', async () => {
    const { scene, worktree, refused } = await stage({ prepare: (made, repo) => made.commit(repo, 'two\nlines', 'x') });
    scene.git(worktree, 'update-index', '--assume-unchanged', 'README.md');
    scene.git(worktree, 'update-index', '--skip-worktree', 'two\nlines');
    writeFileSync(path.join(worktree, 'README.md'), 'changed');
    writeFileSync(path.join(worktree, 'two\nlines'), 'changed');
    expect(unsavedIn(await refused())).toEqual(['2 changed files that git was told not to look at ("README.md", "two\\nlines")']);
  });

  test('commits that the base does not have', async () => {
    const { scene, repo, worktree, refused, remove, branches } = await stage();
    scene.commit(worktree, 'a', 'x');
    expect(unsavedIn(await refused())).toEqual(['1 commit on relay/A that is neither pushed nor merged']);
    scene.commit(worktree, 'b', 'x');
    expect(unsavedIn(await refused())).toEqual(['2 commits on relay/A that are neither pushed nor merged']);
    scene.git(repo, 'merge', '--quiet', 'relay/A');
    await remove();
    expect([existsSync(worktree), branches()]).toEqual([false, '']);
  });

  test('commits that no remote has; pushed, the branch stays until it is merged', async () => {
    const { scene, repo, worktree, refused, remove, branches } = await stage({ remote: true });
    scene.commit(worktree, 'a', 'x');
    scene.git(repo, 'merge', '--quiet', 'relay/A');
    expect(unsavedIn(await refused())).toEqual(['1 commit on relay/A that is neither pushed nor merged']);
    scene.git(worktree, 'push', '--quiet', 'origin', 'relay/A');
    await remove();
    expect([existsSync(worktree), branches()]).toEqual([false, 'relay/A']);
    scene.git(repo, 'push', '--quiet', 'origin', 'main');
    await remove();
    expect(branches()).toBe('');
  });

  test('commits of a remote that has nothing yet, where the base counts', async () => {
    const { scene, repo, worktree, refused, remove } = await stage();
    scene.git(repo, 'remote', 'add', 'origin', scene.path('nowhere.git'));
    scene.commit(worktree, 'a', 'x');
    expect(unsavedIn(await refused())).toEqual(['1 commit on relay/A that is neither pushed nor merged']);
    scene.git(worktree, 'reset', '--quiet', '--hard', 'main');
    await remove();
  });

  test('commits on no branch, on another branch, or left on the ticket\'s own', async () => {
    const { scene, worktree, refused } = await stage();
    scene.commit(worktree, 'a', 'x');
    scene.git(worktree, 'checkout', '--quiet', '-b', 'fix', 'main');
    scene.commit(worktree, 'b', 'x');
    expect(unsavedIn(await refused())).toEqual(['1 commit on fix that is neither pushed nor merged', '1 commit on relay/A that is neither pushed nor merged']);
    scene.git(worktree, 'checkout', '--quiet', '--detach');
    expect(unsavedIn(await refused())).toEqual(['1 commit on no branch that is neither pushed nor merged', '1 commit on relay/A that is neither pushed nor merged']);
  });

  test('stashes made on its branch, not those of others', async () => {
    const { scene, repo, worktree, refused, remove } = await stage();
    writeFileSync(path.join(repo, 'README.md'), 'main');
    scene.git(repo, 'stash', '--quiet');
    writeFileSync(path.join(worktree, 'README.md'), 'mine');
    scene.git(worktree, 'stash', 'push', '--quiet', '-m', 'a\nmessage');
    expect(unsavedIn(await refused())).toEqual(['1 stash made on it']);
    scene.git(worktree, 'checkout', '--quiet', '--detach');
    writeFileSync(path.join(worktree, 'README.md'), 'mine too');
    scene.git(worktree, 'stash', '--quiet');
    expect(unsavedIn(await refused())).toEqual(['2 stashes made on it']);
    scene.git(worktree, 'stash', 'drop', '--quiet');
    scene.git(worktree, 'stash', 'drop', '--quiet');
    await remove();
  });

  test('a rebase or a merge that is not finished', async () => {
    const { scene, repo, worktree, refused } = await stage();
    scene.commit(worktree, 'README.md', 'ours');
    scene.commit(repo, 'README.md', 'theirs');
    expect(() => scene.git(worktree, 'rebase', 'main')).toThrow();
    expect(unsavedIn(await refused())).toContain('a rebase that is not finished');
    scene.git(worktree, 'rebase', '--abort');
    expect(() => scene.git(worktree, 'merge', 'main')).toThrow();
    expect(unsavedIn(await refused())).toContain('a merge that is not finished');
  });

  test('work in a submodule', async () => {
    const { scene, worktree, refused, remove } = await stage({
      prepare: (made, repo) => {
        made.repository('library');
        made.git(repo, 'submodule', '--quiet', 'add', made.path('library'), 'lib');
        made.git(repo, 'commit', '--quiet', '-m', 'Add the library');
      },
    });
    scene.git(worktree, 'submodule', '--quiet', 'update', '--init');
    const inner = path.join(worktree, 'lib');
    scene.git(inner, 'checkout', '--quiet', '-b', 'work');
    writeFileSync(path.join(inner, 'draft'), 'x');
    expect(unsavedIn(await refused())).toEqual(['1 uncommitted file ("lib")']);
    scene.git(inner, 'add', 'draft');
    scene.git(inner, 'stash', '--quiet');
    expect(unsavedIn(await refused())).toEqual(['stashes in the submodule lib']);
    scene.git(inner, 'stash', 'drop', '--quiet');
    scene.commit(inner, 'work', 'x');
    scene.git(inner, 'checkout', '--quiet', '--detach', 'main');
    expect(unsavedIn(await refused())).toEqual(['1 commit in the submodule lib that is not pushed']);
    scene.git(inner, 'push', '--quiet', 'origin', 'work');
    await remove();
    expect(existsSync(worktree)).toBe(false);
  });

  test('a lock of a person', async () => {
    const { scene, repo, worktree, refused, remove } = await stage();
    scene.git(repo, 'worktree', 'lock', '--reason', 'I am looking', worktree);
    expect(await refused()).toMatchObject({ code: 'runner_conflict', text: `The worktree at ${worktree} is locked (I am looking), so it was not removed.` });
    scene.git(repo, 'worktree', 'unlock', worktree);
    await remove();
    expect(existsSync(worktree)).toBe(false);
  });

  test('a git at work; what a killed one left long ago is no reason', async () => {
    const { repo, worktree, refused, remove } = await stage();
    const lock = path.join(repo, '.git', 'worktrees', 'A', 'index.lock');
    writeFileSync(lock, '');
    expect(await refused()).toMatchObject({ code: 'runner_unavailable', kind: 'transient', evidence: { lock } });
    utimesSync(lock, 0, 0);
    await remove();
    expect(existsSync(worktree)).toBe(false);
  });
});

test('what is ignored goes with the worktree, folders that cannot be written to as well', async () => {
  const { scene, worktree, remove } = await stage({ prepare: (made, repo) => made.commit(repo, '.gitignore', 'cache/\n') });
  mkdirSync(path.join(worktree, 'cache', 'inner'), { recursive: true });
  writeFileSync(path.join(worktree, 'cache', 'inner', 'file'), 'x');
  chmodSync(path.join(worktree, 'cache', 'inner'), 0o555);
  await remove();
  expect(readdirSync(path.dirname(worktree))).toEqual([]);
  expect(scene.git(scene.path('shop'), 'worktree', 'list', '--porcelain')).not.toContain('home');
});

test('nothing to remove is a success, twice too, and the registration of a folder that is gone goes', async () => {
  const { scene, repo, worktree, remove } = await stage();
  rmSync(worktree, { recursive: true });
  await remove();
  await remove();
  expect(scene.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
});

test('a worktree in a home that was moved is removed', async () => {
  const { scene, repo } = await stage();
  renameSync(scene.home, scene.path('home2'));
  await createWorktreeRunner({ home: scene.path('home2'), config: {}, env: scene.env }).removeWorkspace({ repo: { name: 'shop', path: repo }, ticket: 'A' });
  expect(scene.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  expect(readdirSync(scene.path('home2', 'worktrees', 'shop'))).toEqual([]);
});

test.each([1, 2])('a removal that was cut short before its call %i of "git worktree remove" or "git branch" is finished by the next', async (stop) => {
  const { scene, repo, worktree, remove, branches } = await stage();
  const real = createGit({ env: scene.env });
  let seen = 0;
  const dying: Git = async (call) => {
    if (((call.args[0] === 'worktree' && call.args[1] === 'remove') || call.args[0] === 'branch') && (seen += 1) === stop) throw new Error('The machine lost power.');
    return await real(call);
  };
  const runner = createWorktreeRunner({ home: scene.home, config: {}, git: dying });
  await expect(runner.removeWorkspace({ repo: { name: 'shop', path: repo }, ticket: 'A' })).rejects.toThrow('lost power');
  // The folder is away at once, whole.
  expect(existsSync(worktree)).toBe(false);
  await remove();
  expect(readdirSync(path.dirname(worktree))).toEqual([]);
  expect([scene.git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)?.length, branches()]).toEqual([1, '']);
});

test('leftovers of one ticket are not taken for those of another, and prune deletes all', async () => {
  const { scene, repo, worktree, remove } = await stage();
  const folder = path.dirname(worktree);
  mkdirSync(path.join(folder, '.removing-A-B-0123abcd'));
  mkdirSync(path.join(folder, '.removing-A-0123abcd'));
  mkdirSync(path.join(folder, '.removing-theirs'));
  await remove();
  expect(readdirSync(folder).sort()).toEqual(['.removing-A-B-0123abcd', '.removing-theirs']);
  await createWorktreeRunner({ home: scene.home, config: {}, env: scene.env }).prune({ name: 'shop', path: repo });
  expect(readdirSync(folder)).toEqual(['.removing-theirs']);
});

test('a merged branch that somebody has checked out elsewhere stays theirs', async () => {
  const { scene, repo, worktree, remove, branches } = await stage();
  scene.git(worktree, 'checkout', '--quiet', '--detach');
  scene.git(repo, 'worktree', 'add', '--quiet', scene.path('look'), 'relay/A');
  await remove();
  expect([branches(), existsSync(scene.path('look', 'README.md'))]).toEqual(['relay/A', true]);
});
