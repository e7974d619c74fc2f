import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqliteJournal } from '../../src/journal/sqlite/open.js';

const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly report?: { readonly runId: string; readonly status?: string; readonly completionReason?: string; readonly completionDetail?: string; readonly error?: string; readonly completedSteps?: number };
}

function host(cwd: string, args: readonly string[], fault?: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [HOST, ...args], { cwd, env: { ...process.env, ...(fault === undefined ? {} : { RELAYFLOWS_FAULT: fault }) }, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.on('close', (_code, signal) => resolve({ signal, ...(out === '' ? {} : { report: JSON.parse(out) as NonNullable<Ended['report']> }) }));
  });
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'relayflows-crash-'));
  folders.push(path);
  return path;
}

async function runIn(cwd: string): Promise<string | undefined> {
  const path = join(cwd, '.relayflowd/journal.sqlite3');
  if (!existsSync(path)) return undefined;
  const journal = await openSqliteJournal({ path, readOnly: true });
  const [run] = await journal.list({ limit: 1 });
  await journal.close();
  return run?.id;
}

/** How often each effect happened, the random one under one name. */
function effects(cwd: string): Record<string, number> {
  const counts: Record<string, number> = {};
  const lines = existsSync(join(cwd, 'effects')) ? readFileSync(join(cwd, 'effects'), 'utf8').trim().split('\n') : [];
  for (const line of lines.filter((text) => text !== '')) {
    const name = line.length === 36 ? 'uuid' : line;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Waits for what the killed process had just started: its effect may come a moment after the process is gone. */
async function orphansEnded(cwd: string): Promise<void> {
  const worksHere = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cwd);
    } catch {
      return false;
    }
  };
  while (existsSync('/proc') && readdirSync('/proc').some((name) => /^\d+$/.test(name) && worksHere(name))) await new Promise((resolve) => setTimeout(resolve, 10));
}

const EFFECTS: Record<string, readonly string[]> = {
  sequential: ['a', 'b', 'uuid', 'd'],
  concurrent: ['x1', 'y1', 'z1', 'x2', 'y2', 'z2', 'end'],
  budgeted: ['a', 'b', 'c', 'd'],
};
const REASON: Record<string, string> = { sequential: 'success', concurrent: 'success', budgeted: 'needs_human' };
/** How many effects can be in flight at once: each may happen twice. */
const IN_FLIGHT: Record<string, number> = { sequential: 1, concurrent: 3, budgeted: 2 };

const POINTS = [
  'journal.create.before-commit', 'executor.started.before', 'executor.started.after', 'executor.effect.inside', 'executor.effect.after',
  'journal.completed.before-commit', 'journal.completed.inside', 'journal.completed.after-commit', 'executor.delivered', 'executor.finish.before', 'executor.finish.after',
];

describe.each(['sequential', 'concurrent', 'budgeted'])('a %s flow killed', (name) => {
  it.each(POINTS.flatMap((point) => (/create|finish/.test(point) ? [`${point}#1`] : [`${point}#1`, `${point}#3`])))('at %s ends as without the crash', async (fault) => {
    const cwd = folder();
    const killed = await host(cwd, ['run', name], fault);
    expect(killed.signal).toBe('SIGKILL');
    await orphansEnded(cwd);
    const before = effects(cwd);
    const runId = await runIn(cwd);
    const { report } = await host(cwd, runId === undefined ? ['run', name] : ['resume', runId]);
    expect(report).toMatchObject({ completionReason: REASON[name] });
    const after = effects(cwd);
    expect(Object.keys(after).sort()).toEqual([...(EFFECTS[name] ?? [])].sort());
    const twice = Object.values(after).filter((count) => count === 2).length;
    expect(twice).toBeLessThanOrEqual(IN_FLIGHT[name] ?? 0);
    expect(Math.max(...Object.values(after))).toBeLessThanOrEqual(2);
    // What had not begun when the process died happens once.
    for (const effect of EFFECTS[name] ?? []) if (before[effect] === undefined) expect(after[effect]).toBe(1);
  });
});

const BEGINNING_AGAIN = ['executor.continue.before', 'executor.continue.after', 'journal.continue.before-commit', 'journal.continue.after-commit'];

describe('a flow that begins again killed', () => {
  it.each([...BEGINNING_AGAIN.flatMap((point) => [`${point}#1`, `${point}#2`]), ...POINTS.filter((point) => !/create/.test(point)).map((point) => `${point}#2`.replace(/(finish\.\w+)#2/, '$1'))])('at %s goes on with the turn it was in', async (fault) => {
    const cwd = folder();
    expect((await host(cwd, ['run', 'looping'], fault)).signal).toBe('SIGKILL');
    const runId = (await runIn(cwd)) ?? '';
    const before = effects(cwd);
    const { report } = await host(cwd, ['resume', runId]);
    const after = effects(cwd);
    expect(report).toMatchObject({ completionReason: 'success', completionDetail: 'abc' });
    expect(Object.keys(after)).toEqual(['turn1', 'turn2', 'turn3']);
    for (const [turn, count] of Object.entries(after)) expect(count).toBeLessThanOrEqual(before[turn] === undefined ? 1 : 2);
    // A turn that was over is not done again.
    const over = Number(/continue\.(?:after|after-commit)#(\d)/.exec(fault)?.[1] ?? 0);
    for (let turn = 1; turn <= over; turn += 1) expect(after[`turn${turn}`]).toBe(1);
  });
});

describe('a parked run killed', () => {
  it('right after it parked is answered and resumed', async () => {
    const cwd = folder();
    expect((await host(cwd, ['run', 'parked'], 'executor.parked')).signal).toBe('SIGKILL');
    const runId = (await runIn(cwd)) ?? '';
    expect((await host(cwd, ['answer', runId])).report).toMatchObject({ completionReason: 'success' });
    expect(effects(cwd)).toEqual({ before: 1, yes: 1 });
  });
});

describe('ownership', () => {
  it('a run whose owner is alive is not executed by another process, also when it does not answer', async () => {
    const cwd = folder();
    const owner = spawn(process.execPath, [HOST, 'run', 'held'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = new Promise<string>((resolve) => {
      let out = '';
      owner.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      owner.on('close', () => resolve(out));
    });
    await expect.poll(() => effects(cwd)).toEqual({ begun: 1 });
    const runId = (await runIn(cwd)) ?? '';
    owner.kill('SIGSTOP');
    expect((await host(cwd, ['resume', runId])).report).toEqual({ runId, error: 'run_owned' });
    owner.kill('SIGCONT');
    writeFileSync(join(cwd, 'go'), '');
    expect(JSON.parse(await closed)).toMatchObject({ runId, completionReason: 'success' });
    expect(effects(cwd)).toEqual({ begun: 1 });
  });

  it('a run whose owner was killed is taken over, and what it had started is stopped first', async () => {
    const cwd = folder();
    const owner = spawn(process.execPath, [HOST, 'run', 'held'], { cwd, stdio: 'ignore' });
    const closed = new Promise((resolve) => owner.on('close', resolve));
    await expect.poll(() => effects(cwd)).toEqual({ begun: 1 });
    const runId = (await runIn(cwd)) ?? '';
    owner.kill('SIGKILL');
    await closed;
    const resumed = host(cwd, ['resume', runId]);
    await expect.poll(() => effects(cwd)).toEqual({ begun: 2 });
    // The first command polled for `go` too: had it survived, its line would be written as well.
    writeFileSync(join(cwd, 'go'), '');
    expect((await resumed).report).toMatchObject({ completionReason: 'success' });
    expect(readFileSync(join(cwd, 'went'), 'utf8')).toBe('went\n');
  });
});
