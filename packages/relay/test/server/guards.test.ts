import { describe, expect, it } from 'vitest';
import { RelayError } from '../../src/errors/relay-error.js';
import type { RunDetail } from '../../src/server/answers.js';
import { report } from '../workflow/interpreter/stage.js';
import { hurried, Recorded, recordedServer, type RecordedServer } from './recorded.js';
import { STRAIGHT } from './world.js';

const RUN = 'app/straight/K-1';
/** How often terminals are looked at. */
const EVERY_MINUTE = (ms: number): number => (ms === 60_000 ? 20 : ms);
/** The first wait before something is tried again. */
const RETRY = (ms: number): number => (ms >= 1_500 && ms <= 2_500 ? 20 : ms);
const SECRET = 'the-secret-0451';

async function begun(recorded: Recorded, args: Parameters<typeof recordedServer>[1] = {}): Promise<RecordedServer> {
  const entry = await recordedServer(recorded, { workflow: ['straight', STRAIGHT], ...args });
  // Not before, so that the server can be asked whenever something is called.
  recorded.ticket('K-1');
  return entry;
}

async function waitsAt({ world }: RecordedServer, node: string, depth = 0): Promise<void> {
  await world.until('K-1', ({ state, steps }) => state === 'waiting' && steps.some((step) => step.node === node && step.depth === depth && step.status === 'waiting'));
}

describe('a session', () => {
  it('that speaks before the call that starts its terminal has answered belongs to the visit (pitfall 7)', async () => {
    const recorded = new Recorded();
    const answers: unknown[] = [];
    recorded.before = async (call) => {
      if (call === 'create K-1:build' && answers.length === 0) answers.push(await entry.world.client.call('registerSession', { body: { runId: RUN, node: 'build', sessionId: 'ses_early' } }));
    };
    const entry = await begun(recorded, { config: { keepTerminalsAlive: false } });
    await waitsAt(entry, 'build');
    expect(answers).toEqual([{ accepted: true }]);
    const run = await entry.world.run('K-1');
    expect(run.steps.find(({ node }) => node === 'build')).toMatchObject({ nodeVisitId: run.currentNodeVisitId, runtime: { session: 'ses_early' } });
    // It is what the next visit goes on with.
    await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    await waitsAt(entry, 'build', 1);
    expect(recorded.terminals.launched.map(({ args }) => args)).toEqual([['Begin build.'], ['--session', 'ses_early', expect.stringContaining('Go on with build.')]]);
  });

  it('of another node, another attempt or a run that ended is not taken', async () => {
    const recorded = new Recorded();
    const entry = await begun(recorded);
    await waitsAt(entry, 'build');
    const register = async (runId: string, node: string, sessionId: string) => (await entry.world.client.call('registerSession', { body: { runId, node, sessionId } })).accepted;
    expect([await register(RUN, 'review', 's'), await register(`${RUN}~attempt~2`, 'build', 's'), await register('app/straight/K-9', 'build', 's')]).toEqual([false, false, false]);
    expect([await register(RUN, 'build', 's'), await register(RUN, 'build', 's')]).toEqual([true, true]);
    await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('review') } });
    await waitsAt(entry, 'review');
    // It belongs to the other node for good.
    expect(await register(RUN, 'review', 's')).toBe(false);
    await entry.world.client.call('cancelRun', { params: { key: 'K-1' }, body: {} });
    expect(await register(RUN, 'review', 'late')).toBe(false);
  });
});

describe('a terminal', () => {
  it('whose start was not answered is found by its title, and not started twice (pitfall 8)', async () => {
    const recorded = new Recorded();
    const { create } = recorded.terminals.runner.terminals ?? {};
    let lost = 0;
    Object.assign(recorded.terminals.runner.terminals ?? {}, {
      create: async (args: never) => {
        await create?.(args);
        lost += 1;
        throw new RelayError('runner_unavailable', 'The application went away while it started a terminal.');
      },
    });
    const entry = await begun(recorded, { options: { clock: hurried(RETRY) } });
    await waitsAt(entry, 'build');
    expect([lost, recorded.terminals.launched.map(({ title, live }) => [title, live])]).toEqual([1, [['K-1:build', true]]]);
    const { steps } = await entry.world.run('K-1');
    expect(steps.find(({ node }) => node === 'build')?.runtime).toMatchObject({ terminal: 't0' });
  });

  it('whose text cannot be sent because it is gone is replaced in the same visit, which is told all that it missed (pitfall 5)', async () => {
    const recorded = new Recorded();
    const entry = await begun(recorded);
    await waitsAt(entry, 'build');
    recorded.terminals.failures.push({ operation: 'send', error: new RelayError('runner_missing', 'The terminal is gone.') });
    await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: { ...report('build', 'failure'), feedback: { ...report('build').feedback, requiredActions: 'Rename it.' } } } });
    await waitsAt(entry, 'build', 1);
    expect(recorded.terminals.launched.map(({ live }) => live)).toEqual([false, true]);
    expect((await entry.world.run('K-1')).retry).toBeNull();
  });

  it('into which a prompt was typed by a server that could not note it any more gets it once', async () => {
    const recorded = new Recorded();
    const terminals = recorded.terminals.runner.terminals ?? {};
    const { send } = recorded.terminals.runner.terminals ?? {};
    let sends = 0;
    Object.assign(terminals, {
      send: async (args: never) => {
        await send?.(args);
        sends += 1;
        // As far as the server got.
        if (sends === 1) throw new RelayError('runner_unavailable', 'The application went away while it typed.');
      },
    });
    const entry = await begun(recorded);
    await waitsAt(entry, 'build');
    await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    await entry.world.until('K-1', ({ retry }) => retry !== null);
    await entry.server.stop();
    const again = await recordedServer(recorded, { world: entry.world });
    await waitsAt(again, 'build', 1);
    await again.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'b', report: report('build', 'failure') } });
    await waitsAt(again, 'build', 2);
    const typed = recorded.terminals.launched[0]?.typed ?? [];
    expect([sends >= 3, recorded.terminals.launched.length, typed.length]).toEqual([true, 1, 2]);
    // Each visit has a mark of its own, which does not give its id away.
    const { steps } = await again.world.run('K-1');
    const marks = typed.map((text) => /\((relay-flow-[0-9a-f]{12})\)$/.exec(text)?.[1] ?? '');
    expect(new Set(marks).size).toBe(2);
    for (const { nodeVisitId } of steps) if (nodeVisitId !== null) expect(typed.join(' ')).not.toContain(nodeVisitId.slice(0, 12));
  });

  it.each([
    ['stays with its session', {}, 1, []],
    ['goes, and its session goes on in another', { keepTerminalsAlive: false }, 2, ['--session', 'ses_1', expect.stringContaining('Go on with build.')]],
    ['goes with its session', { keepTerminalsAlive: false, keepSessionsAlive: false }, 2, [expect.stringMatching(/^Begin build\./)]],
  ])('%s after a report, as config.yaml says', async (_what, config, launches, args) => {
    const recorded = new Recorded();
    const entry = await begun(recorded, { config });
    await waitsAt(entry, 'build');
    await entry.world.client.call('registerSession', { body: { runId: RUN, node: 'build', sessionId: 'ses_1' } });
    await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    await waitsAt(entry, 'build', 1);
    const { launched } = recorded.terminals;
    expect([launched.length, launched.slice(1).map((terminal) => terminal.args)]).toEqual([launches, launches === 1 ? [] : [args]]);
    expect(launched.filter(({ live }) => live)).toHaveLength(1);
    expect(launched[0]?.typed.length).toBe(launches === 1 ? 1 : 0);
  });

  it('from which no session is heard is shown to a person, until it is (pitfall 54)', async () => {
    const recorded = new Recorded();
    const ahead = { ms: 0 };
    const entry = await begun(recorded, { options: { clock: hurried(EVERY_MINUTE, ahead) } });
    await waitsAt(entry, 'build');
    expect((await entry.world.run('K-1')).attention).toBeNull();
    ahead.ms = 121_000;
    const { attention, state } = await entry.world.until('K-1', (run) => run.attention !== null);
    expect([state, attention]).toEqual(['waiting', expect.stringMatching(/The agent of build has not said anything .* t0.*(trust|sign in)/)]);
    await entry.world.client.call('registerSession', { body: { runId: RUN, node: 'build', sessionId: 'ses_1' } });
    expect((await entry.world.run('K-1')).attention).toBeNull();
    expect(recorded.terminals.launched).toHaveLength(1);
  });

  it('that closed while the server runs is replaced in the same visit', async () => {
    const recorded = new Recorded();
    const entry = await begun(recorded, { options: { clock: hurried(EVERY_MINUTE) } });
    await waitsAt(entry, 'build');
    const { currentNodeVisitId } = await entry.world.run('K-1');
    for (const terminal of recorded.terminals.launched) terminal.live = false;
    await entry.world.until('K-1', () => recorded.terminals.launched.length === 2);
    await waitsAt(entry, 'build');
    expect((await entry.world.run('K-1')).currentNodeVisitId).toBe(currentNodeVisitId);
  });
});

describe('the nudge of a node', () => {
  it('is said once at each visit, not again to what replaces a terminal in the same visit', async () => {
    const recorded = new Recorded();
    const entry = await begun(recorded, { workflow: ['straight', STRAIGHT.replace('    agent: coder\n', '    agent: coder\n    nudgePrompt: Mind {{ticket}}.\n')], options: { clock: hurried(EVERY_MINUTE) } });
    await waitsAt(entry, 'build');
    const { launched } = recorded.terminals;
    for (const terminal of launched) terminal.live = false;
    await entry.world.until('K-1', () => launched.length === 2);
    await waitsAt(entry, 'build');
    await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
    await waitsAt(entry, 'build', 1);
    const said = (texts: readonly string[] = []): number => texts.join('\n').match(/Mind K-1\./g)?.length ?? 0;
    expect([said(launched[0]?.args), said(launched[1]?.args), said(launched[1]?.typed)]).toEqual([1, 0, 1]);
    expect(launched.map(({ env }) => env['RELAY_FLOW_NUDGE_PROMPT'])).toEqual(['Mind K-1.', 'Mind K-1.']);
  });
});

describe('a report', () => {
  it('that a resumed session gives again at its next visit moves nothing (pitfall 14)', async () => {
    const recorded = new Recorded();
    const entry = await begun(recorded);
    const deliver = async (reportId: string) => await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId, report: report('build', 'failure') } });
    await waitsAt(entry, 'build');
    expect(await deliver('ses_1:m1')).toEqual({ accepted: true, duplicate: false });
    await waitsAt(entry, 'build', 1);
    expect(await deliver('ses_1:m1')).toEqual({ accepted: true, duplicate: true });
    expect(await deliver('ses_1:m2')).toEqual({ accepted: true, duplicate: false });
    await waitsAt(entry, 'build', 2);
    expect((await entry.world.run('K-1')).steps.filter(({ node, status }) => node === 'build' && status === 'failed')).toHaveLength(2);
  });

  it('leads to each of its effects once, whichever of them is answered by nothing', async () => {
    const effects = ['comment K-1/build summary', 'comment K-1/build feedback', 'K-1/build to -/Done'];
    for (const lost of effects) {
      const recorded = new Recorded();
      const entry = await begun(recorded, { options: { clock: hurried(RETRY) } });
      await waitsAt(entry, 'build');
      recorded.take();
      let left = 1;
      recorded.after = (call) => {
        if (call !== lost || left === 0) return;
        left -= 1;
        throw new RelayError('task_unavailable', 'The answer was lost.');
      };
      await entry.world.client.call('deliverReport', { body: { runId: RUN, node: 'build', reportId: 'a', report: report('build', 'failure') } });
      await waitsAt(entry, 'build', 1);
      expect(recorded.comments.get('K-1/build')?.map(({ marker }) => marker.split(':')[1])).toEqual(['summary', 'feedback']);
      // All were asked for in their order, again from the first when one was not answered.
      const asked = recorded.take().filter((call) => effects.includes(call));
      expect(asked).toEqual([...effects.slice(0, effects.indexOf(lost) + 1), ...effects]);
      expect(recorded.terminals.launched).toHaveLength(1);
    }
  });
});

describe('an error', () => {
  it.each([
    ['of a command that failed', Object.assign(new Error(`Command failed: orca terminal create --command ${SECRET}`), { code: 1, cmd: SECRET }), 'It failed in a way that nobody foresaw (Error).'],
    ['that is none', SECRET, 'It failed in a way that nobody foresaw.'],
    ['of a bug', new TypeError(`Cannot read ${SECRET}`), 'It failed in a way that nobody foresaw (TypeError).'],
    ['of ours, with a cause', new RelayError('runner_unavailable', 'The application does not answer.', { cause: new Error(SECRET) }), 'The application does not answer.'],
    ['of the machine', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }), 'ENOSPC: no space left on device, write'],
  ])('%s is told without what was at hand (pitfall 9)', async (_what, thrown, text) => {
    const recorded = new Recorded();
    const seen: RunDetail[] = [];
    const entry = await begun(recorded, { options: { clock: hurried(RETRY) } });
    let tries = 0;
    recorded.before = async (call) => {
      if (call !== 'workspace') return;
      tries += 1;
      if (tries === 1) throw thrown as Error;
      if (tries === 2) seen.push(await entry.world.run('K-1'));
    };
    await waitsAt(entry, 'build');
    const [run] = seen;
    if (run === undefined) throw new Error('It was not tried again.');
    expect([run.lastError, run.retry?.lastError]).toEqual([text, text]);
    const { entries } = await entry.world.client.call('runLogs', { params: { key: 'K-1' }, query: {} });
    expect(JSON.stringify([run, entries, entry.world.log()])).not.toContain(SECRET);
    expect(entry.world.log()).toContain('activity failed');
  });

  it.each([
    ['task_conflict', 'blocked'], ['runner_conflict', 'blocked'], ['runner_unsaved_work', 'blocked'],
    ['task_unavailable', 'running'], ['task_auth', 'running'], ['task_permission', 'running'], ['task_rejected', 'running'], ['task_malformed', 'running'],
  ] as const)('%s is tried again, with the run shown as %s (pitfall 10)', async (code, state) => {
    const recorded = new Recorded();
    const entry = await begun(recorded, { options: { clock: hurried(RETRY) } });
    const seen: RunDetail[] = [];
    let tries = 0;
    recorded.before = async (call) => {
      if (!call.startsWith('K-1/build to Doing')) return;
      tries += 1;
      if (tries === 1) throw new RelayError(code, 'It is not possible now.', { hint: 'Move the ticket to Doing.' });
      seen.push(await entry.world.run('K-1'));
    };
    const after = await entry.world.until('K-1', (now) => now.state === 'waiting');
    const [run] = seen;
    expect(run).toMatchObject({ state, lastError: 'It is not possible now.', retry: { attempt: 1, lastError: 'It is not possible now.' } });
    expect(run?.attention).toBe(state === 'blocked' || code === 'task_auth' || code === 'task_permission' ? 'Move the ticket to Doing.' : null);
    expect([after.lastError, after.retry, after.attention]).toEqual([null, null, null]);
  });
});
