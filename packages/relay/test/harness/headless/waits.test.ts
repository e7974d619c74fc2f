import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/harness/headless/clock.js';
import { judge } from '../../../src/harness/headless/judge.js';
import { hostProcesses, type ProcessPort } from '../../../src/harness/headless/processes.js';
import type { HeadlessHarness, TurnEnd } from '../../../src/harness/port.js';
import { reportText, ROUTES } from '../reports.js';
import { commandHarness, quickClock, workbench } from '../workbench.js';

/** A harness whose turns end like this, one after the other. */
function ending(...ends: readonly TurnEnd[]): HeadlessHarness & { readonly launches: Parameters<HeadlessHarness['buildTurn']>[0][] } {
  const launches: Parameters<HeadlessHarness['buildTurn']>[0][] = [];
  return {
    ...commandHarness('true'),
    launches,
    buildTurn(launch) {
      const end = ends[launches.length] ?? ends.at(-1) ?? {};
      launches.push(launch);
      return { file: 'true', args: [], env: {}, stdin: launch.prompt, reader: { line: () => undefined, end: () => end, ...(end.sessionId === undefined ? {} : { session: () => end.sessionId }) } };
    },
  };
}

describe('a limit of use', () => {
  it('is waited for, in the same session, and is no try', async () => {
    const clock = quickClock();
    const bench = await workbench({ clock });
    const until = Date.now() + 40 * 86_400_000;
    const limit: TurnEnd = { failure: 'The limit is reached.', notBefore: until, sessionId: 's-1' };
    const harness = ending(limit, limit, limit, limit, limit, limit, limit, { text: reportText(), sessionId: 's-1' });
    const last = await bench.bring(harness);
    expect(last).toMatchObject({ type: 'report', turn: 8, reportId: '0123456789abcdef0123456789abcdef:8:s-1', sessionId: 's-1' });
    expect(bench.events.find(({ type }) => type === 'waiting')).toEqual({ type: 'waiting', until, reason: 'The limit is reached.', turn: 1 });
    expect(clock.waits[0]).toBeGreaterThan(39 * 86_400_000);
    expect(harness.launches.map(({ sessionId, prompt }) => [sessionId, prompt])).toEqual([[undefined, 'Build it.'], ...Array.from({ length: 7 }, () => ['s-1', 'Build it.'])]);
    expect(bench.events.filter(({ type }) => type === 'invalid')).toEqual([]);
  });

  it('gives its place to others meanwhile', async () => {
    const bench = await workbench({ maxProcesses: 1 });
    bench.runner.start(bench.visit(ending({ failure: 'The limit is reached.', notBefore: Date.now() + 3_600_000 })));
    await bench.seen(({ type }) => type === 'waiting');
    expect(bench.runner.live('build')).toBe('waiting');
    bench.runner.start(bench.visit(ending({ text: reportText() }), { key: 'other', visitId: 'e'.repeat(32) }));
    await bench.seen(({ type }) => type === 'report');
    await bench.runner.stop('build');
    expect(bench.runner.live('build')).toBeUndefined();
  });

  it('is never asked without a pause', () => {
    expect(judge({ failure: 'Limit.', notBefore: 5 }, ROUTES, 1_000_000)).toEqual({ is: 'limited', until: 1_060_000, reason: 'Limit.' });
  });
});

describe('a turn', () => {
  it('is judged by what it was said to be', () => {
    expect(judge({ text: `Hello.\n${reportText()}` }, ROUTES, 0)).toMatchObject({ is: 'report', text: reportText() });
    expect(judge({ text: reportText(), failure: 'It broke.' }, ROUTES, 0)).toEqual({ is: 'failed', problem: 'It broke.' });
    expect(judge({ text: '' }, ROUTES, 0)).toMatchObject({ is: 'invalid' });
    expect(judge({}, ROUTES, 0)).toEqual({ is: 'failed', problem: 'The agent ended without an answer.' });
    expect(judge({ text: reportText('end', 'failure') }, ROUTES, 0)).toMatchObject({ is: 'invalid', problems: [expect.stringContaining('A failure may not choose end')] });
    expect(judge({ failure: 'Gone.', sessionLost: true }, ROUTES, 0)).toEqual({ is: 'session lost', reason: 'Gone.' });
  });

  it('whose fresh session is said to be gone is a try that failed', async () => {
    const bench = await workbench({ clock: quickClock() });
    expect(await bench.bring(ending({ failure: 'Gone.', sessionLost: true }))).toMatchObject({ type: 'exhausted', turn: 6, problems: ['Gone.'] });
  });

  it('that cannot be started at the moment is tried again', async () => {
    let starts = 0;
    const supervise: ProcessPort['supervise'] = (request) => {
      starts += 1;
      if (starts > 2) return hostProcesses.supervise(request);
      const none = { text: '', dropped: 0 };
      return {
        identity: undefined, stop: () => undefined, write: () => undefined, closeInput: () => undefined,
        outcome: Promise.resolve({ spawnError: { code: 'EAGAIN', message: 'there are too many processes', transient: true }, durationMs: 0, stdout: none, stderr: none, leftRunning: [], survivors: [] }),
      };
    };
    const clock = quickClock();
    const bench = await workbench({ clock, processes: { ...hostProcesses, supervise } });
    expect(await bench.bring(ending({ text: reportText() }))).toMatchObject({ type: 'report', turn: 3 });
    expect(clock.waits).toHaveLength(2);
  });

  it('whose output cannot be kept is not begun', async () => {
    const bench = await workbench();
    await writeFile(join(bench.home, 'logs'), 'in the way');
    expect(await bench.bring(ending({ text: reportText() }))).toMatchObject({ type: 'failed', error: { code: 'home_unusable' } });
    expect(bench.processes).toEqual([]);
  });

  it('whose session names itself is known before it ends', async () => {
    const bench = await workbench();
    const named = commandHarness('sh', '-c', 'echo s-7; sleep 600');
    let session: string | undefined;
    bench.runner.start(bench.visit({ ...named, buildTurn: (launch) => ({ ...named.buildTurn(launch), reader: { line: (line) => void (session = line), session: () => session, end: () => ({}) } }) }));
    await bench.seen((event) => event.type === 'session' && event.sessionId === 's-7');
    expect(bench.runner.live('build')).toBe('running');
  });

  it('that has its result is stopped when its process does not end', async () => {
    const bench = await workbench({ resultGraceMs: 50 });
    const slow = commandHarness('sh', '-c', 'echo done; sleep 600');
    let done = false;
    const last = await bench.bring({ ...slow, buildTurn: (launch) => ({ ...slow.buildTurn(launch), reader: { line: () => void (done = true), done: () => done, end: () => ({ text: reportText() }) } }) });
    expect(last.type).toBe('report');
  });
});

describe('waiting', () => {
  it('ends at once when it is given up', async () => {
    const abort = new AbortController();
    const waited = systemClock.until(Date.now() + 90 * 86_400_000, abort.signal);
    abort.abort();
    await waited;
  });
});
