import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { folder, isAlive, scriptedAgent, until, withinTime, type Act } from './fixture.js';
import { repository } from './play.js';

const HOST = fileURLToPath(new URL('agent-host.mjs', import.meta.url));

interface Ended {
  readonly status?: string;
  readonly value?: { readonly completionReason?: string; readonly artifacts?: string[] };
  readonly error?: { readonly code: string; readonly message: string; readonly evidence: Record<string, unknown> };
  readonly warnings?: string[];
}

/** A host of its own, whose temporary files and data lie in folders of their own. */
function bench(script: readonly (readonly Act[])[], step: Readonly<Record<string, unknown>>, cwd: string) {
  const agent = scriptedAgent({ turns: script });
  const [tmp, data] = [folder(), folder()];
  const start = (...args: string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended>; readonly runId: () => string } => {
    const child = spawn(process.execPath, ['--conditions=development', HOST, ...args], {
      cwd, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TMPDIR: tmp, AGENT_DATA: data, AGENT_STEP: JSON.stringify({ cli: agent.path, ...step }) },
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const lines = (): Record<string, unknown>[] => out.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
    return {
      child,
      runId: () => String(lines()[0]?.['runId']),
      ended: new Promise((resolve) => child.on('close', () => resolve(lines()[1] ?? {}))),
    };
  };
  const left = (): string[] => [...readdirSync(tmp).filter((name) => name.startsWith('relayflows-')), ...readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => /(?:\.scratch|\.before)(?:$|\/)/.test(name))];
  return { agent, start, left };
}

/** A process in a session of its own that ignores TERM and never stops writing to the repository. */
const WRITER: Act = { detach: 'while :; do echo x >> written.txt; sleep 0.02; done' };
const BUSY: Act = { sh: 'while [ ! -s written.txt ]; do sleep 0.01; done' };

async function nothingWrites(cwd: string, agent: ReturnType<typeof scriptedAgent>): Promise<void> {
  const pids = agent.log().flatMap(({ pid, detached }) => [pid, detached]).filter((pid) => pid !== undefined);
  expect(pids.length).toBeGreaterThanOrEqual(2);
  expect(pids.filter(isAlive)).toEqual([]);
  const size = (): number | undefined => statSync(join(cwd, 'written.txt'), { throwIfNoEntry: false })?.size;
  const then = size();
  await sleep(200);
  expect(size()).toBe(then);
}

describe('nothing writes to the repository after the step', () => {
  it('a success', async () => {
    const cwd = folder();
    const { agent, start } = bench([[WRITER, BUSY, { say: 'done' }]], {}, cwd);
    const { value } = await start('run').ended;
    expect(value).toMatchObject({ completionReason: 'success', artifacts: ['written.txt'] });
    await nothingWrites(cwd, agent);
  });

  it('a timeout', async () => {
    const { cwd, agent, value } = await withinTime(
      async (limitMs) => {
        const place = folder();
        const { agent: begun, start } = bench([[WRITER, BUSY, { ignoreTerm: true }, { hang: true }]], { timeout: `${limitMs / 1_000}s` }, place);
        return { cwd: place, agent: begun, ...(await start('run').ended) };
      },
      (done) => done.agent.log().some(({ hangs }) => hangs),
    );
    expect(value).toMatchObject({ completionReason: 'timeout', artifacts: ['written.txt'] });
    await nothingWrites(cwd, agent);
  });

  it.each([['a cancel', 'SIGUSR2', 'canceled'], ['Ctrl-C', 'SIGINT', 'interrupted']] as const)('%s', async (_what, signal, status) => {
    const cwd = folder();
    const { agent, start } = bench([[WRITER, BUSY, { ignoreTerm: true }, { write: { path: 'half', content: '' } }, { hang: true }]], {}, cwd);
    const { child, ended } = start('run');
    await until(() => existsSync(join(cwd, 'half')), 'the agent is half way');
    child.kill(signal);
    expect((await ended).status).toBe(status);
    await nothingWrites(cwd, agent);
    expect(existsSync(join(cwd, 'half'))).toBe(true);
  });

  it('the host was killed, and the run is resumed', async () => {
    const cwd = repository({ 'a.txt': 'a' });
    const { agent, start, left } = bench([[WRITER, BUSY, { ignoreTerm: true }, { write: { path: 'half', content: '' } }, { hang: true }], [{ say: 'done' }]], {}, cwd);
    const first = start('run');
    await until(() => existsSync(join(cwd, 'half')), 'the agent is half way');
    first.child.kill('SIGKILL');
    await first.ended;
    const { value } = await start('resume', first.runId()).ended;
    expect(value).toEqual({ completionReason: 'success', summary: 'done', artifacts: [] });
    await nothingWrites(cwd, agent);
    expect(existsSync(join(cwd, 'written.txt'))).toBe(false);
    expect(left()).toEqual([]);
  });
});

describe('a host that was killed', () => {
  it('leaves what the permissions forbid to the resume, which puts it back and fails the step before it spends anything', async () => {
    const cwd = repository({ 'a.txt': 'a' });
    const { agent, start, left } = bench([[WRITER, BUSY, { write: { path: 'a.txt', content: 'by the agent' } }, { write: { path: 'src/half', content: '' } }, { hang: true }]], { permissions: { fileGlobs: ['src/**'] } }, cwd);
    const first = start('run');
    await until(() => existsSync(join(cwd, 'src/half')), 'the agent is half way');
    first.child.kill('SIGKILL');
    await first.ended;
    const { error } = await start('resume', first.runId()).ended;
    expect(error).toMatchObject({ code: 'permission_violated', evidence: { forbidden: ['changed a.txt', 'created written.txt'], left: [] } });
    expect(error?.message).toMatch(/do not allow between \S+Z and now, edits of others included since its process was lost: changed a\.txt/);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('a');
    expect([existsSync(join(cwd, 'written.txt')), existsSync(join(cwd, 'src/half'))]).toEqual([false, true]);
    expect(agent.log().filter(({ task }) => task !== undefined)).toHaveLength(1);
    await nothingWrites(cwd, agent);
    expect(left()).toEqual([]);
  });

  it('leaves no folder of a model call behind once the run was resumed', async () => {
    const cwd = folder();
    const { agent, start, left } = bench([[{ say: '' }, { hang: true }], [{ say: '{}' }]], { llm: true }, cwd);
    const first = start('run');
    await until(() => agent.log().some(({ task }) => task !== undefined), 'the model was asked');
    first.child.kill('SIGKILL');
    await first.ended;
    expect(left()).toEqual([expect.stringMatching(/^relayflows-llm-/)]);
    expect((await start('resume', first.runId()).ended).value).toEqual({});
    expect(left()).toEqual([]);
  });

  it.each([
    ['private repository', '.scratch', {}],
    ['copy of files', '.before', { permissions: { accessPreset: 'readonly' } }],
  ])('leaves no %s behind when it was killed while it made one', async (_what, suffix, options) => {
    const begun = ({ agent }: ReturnType<typeof bench>): boolean => agent.log().some(({ task }) => task !== undefined);
    /** Kills a host that holds a directory with so many ignored files. It may have been done with them before it was seen: then the agent has begun, or nothing is there any more. */
    const killed = async (files: number) => {
      const cwd = repository({ 'a.txt': 'a', '.gitignore': 'out/\n' });
      mkdirSync(join(cwd, 'out'));
      for (let i = 0; i < files; i += 1) writeFileSync(join(cwd, 'out', String(i)), String(i));
      const place = bench([[{ say: 'done' }]], options, cwd);
      const first = place.start('run');
      const there = (): boolean => place.left().some((name) => name.includes(suffix));
      await until(() => there() || begun(place), `something that ends in ${suffix} is there`);
      first.child.kill('SIGKILL');
      await first.ended;
      return { place, first, whileItMadeOne: there() && !begun(place) };
    };
    let attempt = await killed(2_000);
    for (let files = 4_000; !attempt.whileItMadeOne && files <= 32_000; files *= 2) attempt = await killed(files);
    expect(attempt.whileItMadeOne).toBe(true);
    const { place, first } = attempt;
    expect((await place.start('resume', first.runId()).ended).value).toMatchObject({ summary: 'done' });
    expect(place.left()).toEqual([]);
  });
});
