import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { execute, type Execute } from '../../../src/process/execute.js';
import type { WorkspaceRef } from '../../../src/runner/port.js';
import { refusalOf } from '../refusal.js';
import { OrcaScene } from './orca-scene.js';

const scenes: OrcaScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.clear();
});

function stage(): OrcaScene {
  const scene = new OrcaScene();
  scenes.push(scene);
  return scene;
}

/** Resolves when something is so; programs take their time on a busy machine. */
const until = async (is: () => boolean | Promise<boolean>): Promise<void> => void (await vi.waitUntil(is, { timeout: 60_000 }));

const never = new AbortController().signal;
const ref = (scene: OrcaScene, ticket = 'RUN-1'): WorkspaceRef => ({ repo: scene.repo, ticket });

async function withTerminal(options: Parameters<OrcaScene['runner']>[0] = {}): Promise<{ readonly scene: OrcaScene; readonly runner: ReturnType<OrcaScene['runner']>; readonly terminals: NonNullable<ReturnType<OrcaScene['runner']>['terminals']>; readonly handle: string; readonly heard: () => readonly string[] }> {
  const scene = stage();
  const runner = scene.runner(options);
  await runner.ensureRepo(scene.repo);
  await runner.ensureWorkspace(ref(scene));
  const { terminals } = runner;
  if (terminals === undefined) return expect.fail('It has terminals.');
  const file = scene.newFile();
  const { handle } = await terminals.create({ ...ref(scene), title: 'RUN-1:implement', command: scene.listener(file) });
  await until(() => existsSync(file));
  return { scene, runner, terminals, handle, heard: () => readFileSync(file, 'utf8').split('\n').slice(1).filter((line) => line !== '') };
}

describe('the command line of Orca', () => {
  test('is not there', async () => {
    const scene = stage();
    const runner = scene.runner({ env: { PATH: scene.git.path('nothing') }, platform: 'linux' });
    expect(await refusalOf(runner.probe({ signal: never }))).toMatchObject({ code: 'runner_missing', text: expect.stringContaining('orca-ide'), hint: expect.stringContaining('ORCA_CLI_COMMAND') });
  });

  test('cannot reach the application', async () => {
    const scene = stage();
    await scene.set({ app: 'refused' });
    expect(await refusalOf(scene.runner().probe({ signal: never }))).toMatchObject({ code: 'runner_unavailable', kind: 'transient', text: 'The Orca app cannot be reached.', hint: 'Start the Orca app.' });
    await scene.set({ app: 'unavailable' });
    expect(await refusalOf(scene.runner().probe({ signal: never }))).toMatchObject({ code: 'runner_unavailable', text: 'The Orca app is not running.' });
  });

  test('answers with what nobody can read', async () => {
    const scene = stage();
    await scene.set({ malformed: true });
    expect(await refusalOf(scene.runner().probe({ signal: never }))).toMatchObject({ code: 'runner_malformed', text: 'Orca gave a malformed response to "repo list".' });
    await scene.set({ malformed: false, repos: { not: 'a list' } });
    expect(await refusalOf(scene.runner().probe({ signal: never }))).toMatchObject({ code: 'runner_malformed' });
  });

  test('does not answer in time', async () => {
    const scene = stage();
    const times: number[] = [];
    const run: Execute = async (execution) => {
      times.push(execution.timeoutMs);
      return await execute({ ...execution, file: 'sleep', args: ['60'], timeoutMs: 50 });
    };
    expect(await refusalOf(scene.runner({ run }).probe({ signal: never }))).toMatchObject({ code: 'runner_unavailable', text: 'Orca did not answer "repo list" in time.' });
    expect(times).toEqual([5_000]);
  });

  test.each([0, 1, 7])('refuses with exit code %i, which decides nothing (pitfall 53)', async (refusedExit) => {
    const scene = stage();
    await scene.set({ refusedExit });
    const runner = scene.runner();
    await runner.ensureRepo(scene.repo);
    // The branch is checked out in the main worktree, so git refuses.
    scene.git.git(scene.repo.path, 'checkout', '--quiet', '-b', 'RUN-1');
    expect(await refusalOf(runner.ensureWorkspace(ref(scene)))).toMatchObject({ code: 'runner_rejected', text: expect.stringMatching(/^Orca refused "worktree create" \(git_error\): [^]+\.$/) });
    expect(await runner.listWorkspaces(scene.repo)).toEqual([]);
  });

  test('is given no settings but its own', () => {
    for (const config of [{ baseref: 'x' }, { baseRef: '' }, { baseRef: null }, { baseRef: '-x' }, { root: '/x' }]) expect(() => stage().runner({ config })).toThrow(/runnerConfig/);
  });
});

describe('repositories and worktrees', () => {
  test('a repository is known by its real path, whatever it is called (pitfall 6)', async () => {
    const scene = stage();
    symlinkSync(scene.repo.path, scene.git.path('link'));
    const linked = { name: 'another', path: scene.git.path('link') };
    await scene.runner().ensureRepo(linked);
    await scene.runner().ensureRepo(scene.repo);
    expect(await scene.runner().discoverRepos()).toEqual([{ name: 'link', path: scene.repo.path }]);
    expect((await scene.state()).made.repos).toBe(1);
  });

  test('one that Orca does not know is refused', async () => {
    const scene = stage();
    expect(await refusalOf(scene.runner().validateRepo(scene.repo))).toMatchObject({ code: 'runner_rejected', kind: 'terminal', text: expect.stringContaining('Orca does not know') });
    expect(await refusalOf(scene.runner().validateRepo({ name: 'gone', path: scene.git.path('gone') }))).toMatchObject({ code: 'runner_missing' });
  });

  test('of a list that is cut off, what is missing is not made again', async () => {
    const scene = stage();
    const runner = scene.runner();
    await runner.ensureRepo(scene.repo);
    await runner.ensureWorkspace(ref(scene));
    await scene.set({ worktreeLimit: 1 });
    for (const call of [() => runner.ensureWorkspace(ref(scene)), () => runner.removeWorkspace(ref(scene)), () => runner.listWorkspaces(scene.repo)]) {
      expect(await refusalOf(call())).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining('only some of its worktrees') });
    }
    expect((await scene.state()).made.worktrees).toBe(1);
    await scene.set({ worktreeLimit: 2 });
    expect(await runner.ensureWorkspace(ref(scene))).toMatchObject({ branch: 'RUN-1' });
  });

  test('the branch begins at one that exists for the ticket, else at the configured one', async () => {
    const scene = stage();
    const first = scene.git.git(scene.repo.path, 'rev-parse', 'HEAD');
    scene.git.git(scene.repo.path, 'branch', 'release');
    const second = scene.git.commit(scene.repo.path, 'second', 'x');
    scene.git.git(scene.repo.path, 'branch', 'tess/RUN-2-fix');
    scene.git.commit(scene.repo.path, 'third', 'x');
    const runner = scene.runner({ config: { baseRef: 'release' } });
    await runner.ensureRepo(scene.repo);
    const tip = async (ticket: string): Promise<string> => scene.git.git((await runner.ensureWorkspace(ref(scene, ticket))).path, 'rev-parse', 'HEAD');
    expect([await tip('RUN-1'), await tip('RUN-2')]).toEqual([first, second]);
  });

  test('statuses reach Orca', async () => {
    const scene = stage();
    const runner = scene.runner();
    await runner.ensureRepo(scene.repo);
    await runner.ensureWorkspace(ref(scene));
    await runner.setStatus({ ...ref(scene), status: 'in-review' });
    expect((await scene.state()).worktrees.find(({ displayName }) => displayName === 'RUN-1')?.status).toBe('in-review');
  });

  test('two of one name, and a folder that is gone, are for a person', async () => {
    const scene = stage();
    const runner = scene.runner();
    await runner.ensureRepo(scene.repo);
    const { path: worktree } = await runner.ensureWorkspace(ref(scene));
    renameSync(worktree, `${worktree}-away`);
    expect(await refusalOf(runner.ensureWorkspace(ref(scene)))).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining(worktree) });
    const { worktrees } = await scene.state();
    await scene.set({ worktrees: [...worktrees, { ...worktrees.at(-1), id: 'other' }] });
    expect(await refusalOf(runner.ensureWorkspace(ref(scene)))).toMatchObject({ code: 'runner_conflict', text: 'Orca has 2 worktrees called RUN-1 in the repository shop.' });
  });

  test('a worktree with commits that are nowhere else is not removed, though Orca would (pitfall 52)', async () => {
    const scene = stage();
    const origin = scene.git.remote(scene.repo.path);
    const runner = scene.runner();
    await runner.ensureRepo(scene.repo);
    const { path: worktree } = await runner.ensureWorkspace(ref(scene));
    const work = scene.git.commit(worktree, 'work', 'x');
    expect(await refusalOf(runner.removeWorkspace(ref(scene)))).toMatchObject({ code: 'runner_unsaved_work', evidence: { path: worktree, branch: 'RUN-1' } });
    scene.git.git(worktree, 'push', '--quiet', 'origin', 'RUN-1');
    await runner.removeWorkspace(ref(scene));
    expect([existsSync(worktree), scene.git.git(scene.repo.path, 'branch', '--list', 'RUN-1'), scene.git.git(origin, 'rev-parse', 'RUN-1')]).toEqual([false, '', work]);
  });

  test('a change that comes after the look is still safe', async () => {
    const scene = stage();
    const run: Execute = async (execution) => {
      if (execution.args.includes('rm')) writeFileSync(path.join(worktree, 'late'), 'x');
      return await execute(execution);
    };
    const runner = scene.runner({ run });
    await runner.ensureRepo(scene.repo);
    const { path: worktree } = await runner.ensureWorkspace(ref(scene));
    expect(await refusalOf(runner.removeWorkspace(ref(scene)))).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining('worktree_dirty') });
    expect(existsSync(path.join(worktree, 'late'))).toBe(true);
    rmSync(path.join(worktree, 'late'));
  });
});

describe('terminals', () => {
  test('the program takes the place of the shell (pitfall 51)', async () => {
    const { scene, terminals, handle } = await withTerminal();
    const shell = await scene.open('RUN-1', 'mine');
    await terminals.send({ handle, text: 'exit' });
    await until(async () => (await terminals.show({ handle }))?.live === false);
    expect(await terminals.show({ handle: shell })).toMatchObject({ live: true });
  });

  test('a list that is cut off is asked for whole', async () => {
    const { scene, terminals, handle } = await withTerminal();
    await scene.open('RUN-1', 'mine');
    await scene.set({ terminalLimit: 0 });
    expect(await terminals.find({ ...ref(scene), title: 'RUN-1:implement' })).toMatchObject({ handle });
    expect(await terminals.find({ ...ref(scene), title: 'RUN-1:review' })).toBeUndefined();
  });

  test('where it stays cut off, what is not listed is not taken to be missing', async () => {
    const { scene, terminals, handle } = await withTerminal();
    const request = { ...ref(scene), title: 'RUN-1:review', command: scene.listener(scene.newFile()) };
    await terminals.create(request);
    await scene.set({ terminalMost: 1 });
    expect(await refusalOf(terminals.create(request))).toMatchObject({ code: 'runner_conflict', text: expect.stringContaining('only some of the terminals') });
    expect((await scene.state()).made.terminals).toBe(2);
    expect(await terminals.find({ ...ref(scene), title: 'RUN-1:implement' })).toMatchObject({ handle });
    // What is closed makes room for the rest.
    await terminals.closeAll(ref(scene));
    expect((await scene.state()).terminals).toEqual([]);
  });

  test('of a split tab the first pane is the agent\'s, and all of them are closed', async () => {
    const { scene, terminals, handle } = await withTerminal();
    await scene.fake('split', handle);
    await scene.fake('split', handle);
    expect(await scene.runner().terminals?.find({ ...ref(scene), title: 'RUN-1:implement' })).toEqual({ handle, title: 'RUN-1:implement', live: true });
    await terminals.closeAll(ref(scene));
    expect((await scene.state()).terminals).toEqual([]);
  });

  test('a person\'s pane beside a dead agent is not taken for the agent', async () => {
    const { scene, terminals, handle } = await withTerminal();
    await scene.fake('split', handle);
    await terminals.send({ handle, text: 'exit' });
    await until(async () => (await terminals.find({ ...ref(scene), title: 'RUN-1:implement' }))?.live === false);
    const next = await terminals.create({ ...ref(scene), title: 'RUN-1:implement', command: scene.listener(scene.newFile()) });
    expect(await scene.runner().terminals?.find({ ...ref(scene), title: 'RUN-1:implement' })).toEqual(next);
    expect(await scene.handlesIn('RUN-1')).toEqual([next.handle]);
  });

  test('a send whose answer is unclear is issued again with its id, and typed once', async () => {
    const { scene, terminals, handle, heard } = await withTerminal();
    await scene.set({ unclearSend: true });
    await terminals.send({ handle, text: 'Read your mailbox' });
    await until(() => heard().length > 0);
    await terminals.send({ handle, text: 'Go on' });
    await until(() => heard().includes('Go on'));
    expect(heard()).toEqual(['Read your mailbox', 'Go on']);
  });

  test('a text whose Enter was not taken is entered by another Enter, and typed once (pitfall 2)', async () => {
    const { scene, terminals, handle, heard } = await withTerminal();
    await scene.set({ swallow: 1 });
    await terminals.send({ handle, text: 'Read your mailbox' });
    await until(() => heard().length > 0);
    await terminals.send({ handle, text: 'Go on' });
    await until(() => heard().includes('Go on'));
    expect(heard()).toEqual(['Read your mailbox', 'Go on']);
  });

  test('a handle of before the application was started anew is absent, no failure (pitfall 5)', async () => {
    const { scene, terminals, handle } = await withTerminal();
    await scene.fake('restart');
    expect(await terminals.show({ handle })).toBeUndefined();
    await terminals.close({ handle });
    expect(await refusalOf(terminals.send({ handle, text: 'Go on' }))).toMatchObject({ code: 'runner_missing' });
  });

  test('a terminal keeps its title whatever its program writes on its pane (pitfall 4)', async () => {
    const { scene, terminals, handle } = await withTerminal();
    await scene.fake('terminal', handle, JSON.stringify({ paneTitle: 'vim' }));
    const again = await terminals.create({ ...ref(scene), title: 'RUN-1:implement', command: scene.listener(scene.newFile()) });
    expect(again).toMatchObject({ handle, live: true });
    expect((await scene.state()).made.terminals).toBe(1);
  });

  test('a text that is not accepted is an error', async () => {
    const { scene, terminals, handle } = await withTerminal();
    await scene.set({ refuseSend: true });
    expect(await refusalOf(terminals.send({ handle, text: 'the-secret-0451' }))).toMatchObject({ code: 'runner_unavailable', text: 'The terminal did not take what was sent.' });
  });

  test('errors repeat no text, though Orca does (pitfall 9)', async () => {
    const { scene, terminals, handle } = await withTerminal();
    await scene.fake('terminal', handle, JSON.stringify({ asks: true }));
    const refusal = await refusalOf(terminals.send({ handle, text: 'the-secret-0451' }));
    expect(`${refusal.stack ?? ''}${JSON.stringify(refusal)}`).not.toContain('0451');
    expect(refusal).toMatchObject({ code: 'runner_conflict', kind: 'conflict' });
  });

  test('an argument that no command can have is no leak either', async () => {
    const answer = await execute({ file: 'true', args: ['the-secret-0451\0'], env: {}, timeoutMs: 1_000 });
    expect(answer).toEqual({ stdout: '', stderr: '', notStarted: 'ERR_INVALID_ARG_VALUE', timedOut: false });
  });

  test('without a worktree there is nothing to start one in', async () => {
    const scene = stage();
    const runner = scene.runner();
    await runner.ensureRepo(scene.repo);
    expect(await refusalOf(runner.terminals?.create({ ...ref(scene), title: 'RUN-1:a', command: scene.listener(scene.newFile()) }) ?? Promise.resolve())).toMatchObject({ code: 'runner_missing' });
  });
});
