import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOptions, Ctx } from '@relayflows/surface';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/journal/memory.js';
import type { RunEvent } from '../../../src/run/events.js';
import { folder, scriptedAgent, until, withinTime, type Act } from '../fixture.js';
import { play, repository, runtimeOn, turns } from '../play.js';

const FORBIDDEN: Act[] = [{ write: { path: 'a.txt', content: 'by the agent' } }, { write: { path: 'out/new.txt', content: 'n' } }];
const globs: Partial<AgentOptions> = { permissions: { fileGlobs: ['src/**'] } };

const ref = (cwd: string): string => execFileSync('git', ['for-each-ref', '--format=%(refname)', 'refs/relayflow/forbidden'], { cwd, encoding: 'utf8' }).trim();
const heldIn = (dataDir: string): string => execFileSync('find', [dataDir, '-name', '*.before', '-o', '-name', '*.scratch'], { encoding: 'utf8' });

describe('a step that wrote what it may not', () => {
  it.each([
    ['a success', { say: 'done' }],
    ['a timeout', { hang: true }],
    ['a JSON message', { say: '{"ok": true}' }],
  ])('fails with the list after %s, and what it may write stays', async (_what, end: Act) => {
    const acts: Act[] = [...FORBIDDEN, { write: { path: 'src/ok.txt', content: 'ok' } }, end];
    const { cwd, error, report, value } = await withinTime(
      async (limitMs) => await play(turns(acts), { ...globs, ...('hang' in end ? { timeout: `${limitMs / 1_000}s` } : {}) }, { cwd: repository({ 'a.txt': 'a' }) }),
      ({ agent }) => !('hang' in end) || agent.log().some(({ hangs }) => hangs),
    );
    expect(value).toBeUndefined();
    expect(error).toMatchObject({ code: 'permission_violated', completionReason: 'verification_failed', evidence: { forbidden: ['changed a.txt', 'created out/new.txt'], forbiddenCount: 2, left: [] } });
    expect(error?.message).toMatch(/^permission_violated: Agent "coder" made 2 changes that its permissions \(fileGlobs: src\/\*\*\) do not allow: changed a\.txt, created out\/new\.txt\. They were put back\. What it had written is kept in refs\/relayflow\/forbidden\/\w+\/agent-1\/1\/files\.$/);
    expect(error?.evidence?.['keptIn']).toEqual([ref(cwd)]);
    expect(report.completionReason).toBe('step_failed');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('a');
    expect(existsSync(join(cwd, 'out'))).toBe(false);
    expect(readFileSync(join(cwd, 'src/ok.txt'), 'utf8')).toBe('ok');
  });

  it('fails with it also when its turn had failed, says both, and is not repeated', async () => {
    const { error, agent, cwd } = await play(turns([...FORBIDDEN, { stderr: 'no disk left\n' }, { exit: 9 }]), { ...globs, maxIterations: 3, transportRetries: 3 }, { cwd: repository({ 'a.txt': 'a' }) });
    expect(error).toMatchObject({ code: 'permission_violated', evidence: { turnCode: 'worker_error', exitCode: 9 } });
    expect(error?.message).toMatch(/Its turn had also failed: Agent "coder" failed: .*no disk left\.$/);
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(1);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('a');
  });

  it('counts as spent', async () => {
    const { report } = await play(turns([...FORBIDDEN, { result: { output: 'x', usage: { input_tokens: 100, output_tokens: 20 } } }]), globs);
    expect(report.spend.tokens).toBe(120);
  });

  it('names a long list in part, and all of it in the evidence', async () => {
    const acts = Array.from({ length: 12 }, (_, i): Act => ({ write: { path: `n${String(i).padStart(2, '0')}`, content: '' } }));
    const { error } = await play(turns([...acts, { say: 'x' }]), { permissions: { accessPreset: 'readonly' } });
    expect(error?.message).toMatch(/\(accessPreset: 'readonly'\) do not allow: created n00, created n01, created n02, created n03, created n04, and 7 more\./);
    expect(error?.evidence?.['forbidden']).toHaveLength(12);
  });

  it('outside git keeps what was written in a folder of the step, and nothing else of its own', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'a.txt'), 'a');
    const { error } = await play(turns([...FORBIDDEN, { say: 'x' }]), globs, { cwd });
    const [kept] = (error?.evidence?.['keptIn'] ?? []) as string[];
    expect(kept).toMatch(/steps\/agent-1\/attempt-1\.forbidden$/);
    expect(readFileSync(join(kept ?? '', 'files/a.txt'), 'utf8')).toBe('by the agent');
    expect(heldIn(join(kept ?? '', '../../../../..'))).toBe('');
  });

  it('is looked at in its own directory alone', async () => {
    const cwd = repository({ 'a.txt': 'a' });
    mkdirSync(join(cwd, 'packages/x'), { recursive: true });
    const { error, value } = await play(turns([{ sh: 'echo out > ../../outside.txt' }, { write: { path: 'in.txt', content: '' } }, { say: 'x' }]), { cwd: 'packages/x', permissions: { fileGlobs: ['in.txt'] } }, { cwd });
    expect(error).toBeUndefined();
    expect(value?.artifacts).toEqual(['in.txt']);
  });
});

describe('a step that kept to it', () => {
  it('succeeds, without a trace and without a warning', async () => {
    const cwd = repository({ 'a.txt': 'a' });
    const data = join(folder(), 'data');
    const { value, warnings, report } = await play(turns([{ write: { path: 'src/ok.txt', content: 'ok' } }, { say: 'done' }]), globs, { cwd, runtime: { dataDir: data } });
    expect(value).toEqual({ completionReason: 'success', summary: 'done', artifacts: ['src/ok.txt'] });
    expect([warnings, ref(cwd), heldIn(data), report.ok]).toEqual([[], '', '', true]);
  });

  it('is measured anew in each attempt, against what recovery had put back', async () => {
    const { value } = await play(turns([{ write: { path: 'src/half', content: 'x' } }, { kill: 'SIGKILL' }], [{ write: { path: 'src/whole', content: 'x' } }, { say: 'done' }]), globs, { cwd: repository({ 'a.txt': 'a' }) });
    expect(value?.artifacts).toEqual(['src/whole']);
  });
});

describe('what somebody else may have written', () => {
  it('is left and said, when a command ran meanwhile, also one that is over', async () => {
    const agent = scriptedAgent(turns([{ write: { path: 'go', content: '' } }, { sh: 'while [ ! -e done ]; do sleep 0.05; done' }, { say: 'x' }]));
    const cwd = folder();
    const events: RunEvent[] = [];
    const runtime = runtimeOn(createMemoryStore(), join(folder(), 'data'), 'subject', async (f: Ctx) => {
      await Promise.all([
        f.agent('reader', { task: 'x', cli: agent.path, permissions: { accessPreset: 'readonly' } }),
        f.run('while [ ! -e go ]; do sleep 0.05; done; echo mine > mine.txt; touch done'),
      ]);
      f.done('success');
    }, { onEvent: (event) => events.push(event) });
    expect((await runtime.run('subject', { cwd }).result).ok).toBe(true);
    expect(existsSync(join(cwd, 'mine.txt'))).toBe(true);
    expect(events.find(({ type }) => type === 'warning')).toMatchObject({ code: 'permissions_unattributed', text: expect.stringMatching(/perhaps by somebody else, so it was left: created done \(run-2 ran meanwhile\) and 2 more\.$/) });
  });

  it('is left where another agent worked, and what is elsewhere is not', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'inner'));
    const wait = 'until [ -e FILE ]; do sleep 0.05; done';
    const reader = scriptedAgent(turns([{ sh: `touch started; ${wait.replace('FILE', 'inner/work')}` }, { say: 'x' }]));
    const worker = scriptedAgent(turns([{ sh: wait.replace('FILE', '../started') }, { write: { path: 'work', content: '' } }, { say: 'x' }]));
    const failed: unknown[] = [];
    const runtime = runtimeOn(createMemoryStore(), join(folder(), 'data'), 'subject', async (f: Ctx) => {
      await Promise.all([
        f.agent('reader', { task: 'x', cli: reader.path, permissions: { accessPreset: 'readonly' } }).then(undefined, (error: unknown) => failed.push(error)),
        f.agent('worker', { task: 'x', cli: worker.path, cwd: 'inner' }),
      ]);
      f.done('success');
    });
    await runtime.run('subject', { cwd }).result;
    expect(failed).toEqual([expect.objectContaining({ code: 'permission_violated', evidence: expect.objectContaining({ forbidden: ['created started'] }) })]);
    expect([existsSync(join(cwd, 'started')), existsSync(join(cwd, 'inner/work'))]).toEqual([false, true]);
  });
});

describe('a step that was stopped', () => {
  it('has its forbidden changes put back at once, and fails when it is resumed, before it spends anything', async () => {
    const cwd = repository({ 'a.txt': 'a' });
    const agent = scriptedAgent(turns([...FORBIDDEN, { write: { path: 'src/half', content: 'x' } }, { hang: true }], [{ say: 'second' }]));
    const store = createMemoryStore();
    const dataDir = join(folder(), 'data');
    const warnings: string[] = [];
    let error: unknown;
    const body = async (f: Ctx): Promise<void> => {
      await f.agent('coder', { task: 'Do it.', cli: agent.path, ...globs }).then(undefined, (caught: unknown) => {
        error = caught;
      });
      f.done('success');
    };
    const first = runtimeOn(store, dataDir, 'subject', body, { onEvent: (event) => { if (event.type === 'warning') warnings.push(event.code); } });
    const handle = first.run('subject', { cwd });
    await until(() => existsSync(join(cwd, 'src/half')), 'the agent is half way');
    await handle.interrupt();
    await handle.result;
    await first.close();
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('a');
    expect(existsSync(join(cwd, 'src/half'))).toBe(true);
    expect(warnings).toEqual(['permissions_violated']);
    await runtimeOn(store, dataDir, 'subject', body).resume(handle.id).result;
    expect(error).toMatchObject({ code: 'permission_violated', evidence: { forbidden: ['changed a.txt', 'created out/new.txt'] } });
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(1);
  });
});
