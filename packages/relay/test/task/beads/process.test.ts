import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { execute, type Execution } from '../../../src/process/execute.js';
import { createBeadsTaskSystem } from '../../../src/task/beads/index.js';
import { polled, sceneApart as scene, specs } from './scene.js';

describe('each call of bd', () => {
  it('works on the workspace of the repository, from the repository (pitfall 33: an inherited BEADS_DB redirected writes)', async () => {
    const at = scene({ BEADS_DIR: '/elsewhere', BEADS_DB: '/elsewhere/other.db', BD_DB: '/elsewhere/other.db', BEADS_DOLT_PASSWORD: 'secret', GIT_DIR: '/elsewhere/.git', RELAY_FLOW_RUN_ID: 'another/run' });
    const repo = await at.open();
    const { implement } = await at.withMailboxes(repo);
    await repo.addComment({ key: implement, marker: 'v1:summary', body: 'Done.' });
    expect(at.calls.length).toBeGreaterThan(4);
    for (const { cwd, env } of at.calls) {
      expect(cwd).toBe(at.path);
      expect(env).toEqual({ BEADS_DIR: at.workspace, BEADS_DOLT_PASSWORD: 'secret' });
    }
  });

  it('is refused by the stand-in when another database is chosen, so that the test above can fail', async () => {
    const at = scene();
    const done = await execute({ file: join(at.bin, 'bd'), args: ['list', '--json'], env: { ...at.env, BEADS_DIR: at.workspace, BEADS_DB: '/elsewhere' }, timeoutMs: 20_000 });
    expect([done.exitCode, done.stderr]).toEqual([1, 'Error: BEADS_DB chooses another database\n']);
  });

  it('gives agents the workspace, with what would redirect them emptied', async () => {
    const at = scene();
    expect((await at.open()).agentEnvironment({ ticket: 'app-1' })).toEqual({ BEADS_DIR: at.workspace, BEADS_DB: '', BD_DB: '' });
  });

  it('is the only one in its workspace, whoever asks for it', async () => {
    const at = scene();
    const tasks = at.tasks();
    const repos = await Promise.all(['app', 'web', 'api'].map((name) => tasks.openRepo(at.binding(name))));
    const ticket = await at.makeTicket({ title: 'Fix the login' });
    await Promise.all([
      ...repos.map((repo) => polled(repo)),
      ...repos.flatMap((repo) => [1, 2].map((n) => repo.addComment({ key: ticket, marker: `v${n}:summary`, body: 'Done.' }))),
      repos[0]?.ensureMailboxes({ ticket, mailboxes: specs(ticket) }),
      repos[1]?.ensureMailboxes({ ticket, mailboxes: specs(ticket) }),
    ]);
    expect(at.overlaps).toBe('');
    // Neither do acts on one ticket come between each other's look and write.
    const seen = await at.look(ticket);
    expect(seen.comments).toHaveLength(2);
    expect(seen.mailboxes).toHaveLength(2);
  });

  it('runs beside one in another workspace', async () => {
    const [one, two] = [scene(), scene()];
    const running = new Set<string>();
    let together = false;
    const tasks = one.tasks(async (execution: Execution) => {
      running.add(execution.env['BEADS_DIR'] ?? '');
      together ||= running.size === 2;
      // Until the other one has come, or surely will not.
      for (let turn = 0; turn < 200 && !together; turn += 1) await new Promise((resolve) => setTimeout(resolve, 10));
      const done = await execute(execution);
      running.delete(execution.env['BEADS_DIR'] ?? '');
      return done;
    });
    await Promise.all([tasks.openRepo(one.binding()), tasks.openRepo({ ...one.binding('web'), ownTaskConfig: { beadsDir: two.workspace } })]);
    expect(together).toBe(true);
  });

  it('has long texts on its input and never among its arguments, and knows no shell', async () => {
    const at = scene();
    const repo = await at.open();
    const ticket = await at.makeTicket({ title: 'Fix the login' });
    const text = `$(touch ${at.folder}/ran) \`id\` "; rm -rf x\n${'A long line. '.repeat(20_000)}`;
    await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket, text) });
    await repo.ensureMailboxes({ ticket, mailboxes: specs(ticket, `Another. ${text}`) });
    await repo.addComment({ key: ticket, marker: 'v1:summary', body: text });
    expect(at.calls.filter(({ input }) => input?.includes(text) === true)).toHaveLength(5);
    for (const { argv } of at.calls) {
      expect(argv).toContain('--json');
      expect(argv.join(' ').length).toBeLessThan(300);
    }
  });

  it('ends when bd does, although a process that it left behind holds its output open', async () => {
    const at = scene();
    at.behave({ daemon: true });
    const ticket = await at.makeTicket({ title: 'Fix the login' });
    // The process lives for longer than the test may take.
    const { text, ...viewed } = (await (await at.open()).view({ key: ticket })) ?? {};
    expect([viewed, text]).toEqual([expect.objectContaining({ key: ticket }), 'Fix the login is to be done.']);
  });

  it('is ended when its time is over, or when the caller gives up', async () => {
    const at = scene();
    let most = Infinity;
    const repo = await at.tasks((execution) => execute({ ...execution, timeoutMs: Math.min(execution.timeoutMs, most) })).openRepo(at.binding());
    at.behave({ hang: true });
    most = 2_000;
    await expect(repo.view({ key: 'app-1' })).rejects.toMatchObject({ code: 'task_unavailable', kind: 'transient' });
    const patient = at.tasks();
    await expect(patient.probe({ repos: [at.binding()], signal: AbortSignal.timeout(1_000) })).rejects.toMatchObject({ code: 'task_unavailable' });
  });

  it('never makes a workspace, and starts no server', async () => {
    const at = scene();
    mkdirSync(join(at.folder, 'empty'));
    await expect(at.tasks().openRepo(at.binding('app', { beadsDir: join(at.folder, 'empty') }))).rejects.toMatchObject({ code: 'task_missing', hint: expect.stringContaining('bd init') as string });
    await at.withMailboxes(await at.open());
    expect(new Set(at.calls.map(({ argv }) => argv[0]))).toEqual(new Set(['create', 'list', 'show']));
  });
});

describe('the program bd', () => {
  it('is looked up once', async () => {
    const at = scene();
    const earlier = join(at.folder, 'earlier');
    mkdirSync(earlier);
    const tasks = createBeadsTaskSystem({ env: { ...at.env, PATH: `${earlier}${delimiter}${at.env['PATH'] ?? ''}` } });
    const repo = await tasks.openRepo(at.binding());
    writeFileSync(join(earlier, 'bd'), '#!/bin/sh\necho another program', { mode: 0o755 });
    expect(await polled(repo)).toEqual([]);
    expect(at.calls).toHaveLength(3);
  });

  it('that is not on the PATH keeps a server from starting, also without repositories', async () => {
    const at = scene();
    rmSync(join(at.bin, 'bd'));
    for (const repos of [[], [at.binding()]]) {
      await expect(at.tasks().probe({ repos, signal: AbortSignal.timeout(5_000) })).rejects.toMatchObject({ code: 'task_unavailable', text: 'The program bd is not on the PATH of the server.' });
    }
  });

  it('that is taken away in the middle of a run is waited for', async () => {
    const at = scene();
    const repo = await at.open();
    const ticket = await at.makeTicket({ title: 'Fix the login' });
    rmSync(join(at.bin, 'bd'));
    await expect(repo.claim({ key: ticket, labels: ['wf:ship'] })).rejects.toMatchObject({ kind: 'transient', text: expect.stringMatching(new RegExp(`${ticket}.*bd is gone`)) as string });
  });

  it('that may not be executed, and a folder that is gone, are told apart', async () => {
    const at = scene();
    const repo = await at.open();
    rmSync(join(at.bin, 'bd'));
    writeFileSync(join(at.bin, 'bd'), 'no program');
    chmodSync(join(at.bin, 'bd'), 0o600);
    await expect(repo.view({ key: 'app-1' })).rejects.toMatchObject({ code: 'task_unavailable', text: expect.stringContaining('(EACCES)') as string });
    rmSync(at.path, { recursive: true });
    await expect(repo.view({ key: 'app-1' })).rejects.toMatchObject({ text: expect.stringContaining(`the folder of the repository, ${at.path}, is not there`) as string });
  });
});

describe('the probe', () => {
  it('asks each workspace once, for one row, and waits until there is a repository', async () => {
    const at = scene();
    const tasks = at.tasks();
    const signal = AbortSignal.timeout(30_000);
    await tasks.probe({ repos: [], signal });
    expect(at.calls).toEqual([]);
    await tasks.probe({ repos: [at.binding('app'), at.binding('web'), at.binding('api', { beadsDir: '.beads' })], signal });
    expect(at.calls.map(({ argv }) => argv.join(' '))).toEqual(['list --ready --limit 1 --no-parent --json']);
  });

  it('is about what all repositories share: one whose settings are wrong is refused when it is opened', async () => {
    const at = scene();
    const tasks = at.tasks();
    await tasks.probe({ repos: [at.binding('web', {}), at.binding()], signal: AbortSignal.timeout(30_000) });
    expect(at.calls).toHaveLength(1);
    await expect(tasks.openRepo(at.binding('web', {}))).rejects.toMatchObject({ code: 'task_config_invalid' });
  });
});
