import { flow } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { FlowsError } from '../../src/errors/flows-error.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import { systemClock, type Clock } from '../../src/ports/clock.js';
import type { RunEvent } from '../../src/run/events.js';
import { hostFlow, type ExternalAttempt, type HostContext } from '../../src/run/host-flow.js';
import { thisMachine } from '../../src/run/machine.js';
import { createRuntimeOn } from '../../src/run/create-runtime.js';
import { adoptable, bench, REPLAY_STALL_MS, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

/** A clock whose timers of a second and more go off when the test says so. */
function heldClock(): { readonly clock: Clock; readonly delays: number[]; readonly fire: () => void } {
  const held = new Set<() => void>();
  const delays: number[] = [];
  const clock: Clock = {
    ...systemClock,
    setTimer(ms, callback) {
      // The replay's own limit is no business of these tests.
      if (ms < 1_000 || ms === REPLAY_STALL_MS) return systemClock.setTimer(ms, callback);
      delays.push(ms);
      held.add(callback);
      return { cancel: () => void held.delete(callback) };
    },
  };
  return {
    clock, delays,
    fire: () => {
      const due = [...held];
      held.clear();
      for (const callback of due) callback();
    },
  };
}

describe("a host's own flow", () => {
  it('is the only one that has the verbs of a host', async () => {
    const seen: Record<string, boolean> = {};
    const look = (name: string) => async (f: object): Promise<void> => {
      seen[name] = 'external' in f || 'signal' in f || 'continueAs' in f;
      (f as HostContext).done('success');
    };
    const child = hostFlow('child', async (f) => look('child')(f));
    const ordinary = flow('ordinary', async (f) => look('ordinary')(f));
    const parent = hostFlow('parent', async (f) => {
      seen['parent'] = 'external' in f && 'signal' in f && 'continueAs' in f;
      await f.dispatch('child', {});
      f.done('success');
    });
    on = bench({ ordinary });
    const runtime = on.runtime({ flows: { ordinary: { version: '1', flow: ordinary }, parent: { version: '1', flow: parent, children: [child] } } });
    expect(await runtime.run('ordinary', { cwd: on.dir }).result).toMatchObject({ ok: true });
    expect(await runtime.run('parent', { cwd: on.dir }).result).toMatchObject({ ok: true });
    expect(seen).toEqual({ ordinary: false, parent: true, child: false });
  });
});

describe('f.external', () => {
  it('happens once, and its value comes from the journal afterwards, as JSON', async () => {
    const calls: unknown[] = [];
    const values: unknown[] = [];
    const subject = hostFlow('subject', async (f) => {
      values.push(await f.external('create', { key: 'k-1', input: { title: 'A' } }, async (attempt) => {
        calls.push({ key: attempt.key, attempt: attempt.attempt, resumed: attempt.resumed, previous: attempt.previous });
        return { at: new Date(0), nothing: undefined };
      }));
      await f.signal('go');
      f.done('success');
    });
    on = bench({ subject });
    const { id, result } = on.runtime().run(subject, { cwd: on.dir });
    expect(await result).toMatchObject({ status: 'parked', steps: [{ stepId: 'external-1', kind: 'external', label: 'create', title: 'create', state: 'succeeded' }, { stepId: 'signal-2', label: 'go', state: 'waiting' }] });
    const second = on.runtime();
    await second.signal({ runId: id, name: 'go', payload: null });
    expect(await second.resume(id).result).toMatchObject({ ok: true, completedSteps: 2 });
    expect(calls).toEqual([{ key: 'k-1', attempt: 1, resumed: false, previous: undefined }]);
    expect(values).toEqual([{ at: '1970-01-01T00:00:00.000Z' }, { at: '1970-01-01T00:00:00.000Z' }]);
    expect((await second.status(id)).steps[0]).toMatchObject({ kind: 'external', label: 'create', request: { key: 'k-1', input: { title: 'A' } } });
  });

  it('is repeated after a crash with what it recorded', async () => {
    const attempts: Partial<ExternalAttempt>[] = [];
    let crash = true;
    const subject = hostFlow('subject', async (f) => {
      await f.external('create', { key: 'k-1' }, async ({ attempt, resumed, previous, record }) => {
        attempts.push({ attempt, resumed, ...(previous === undefined ? {} : { previous }) });
        if (attempt === 1) record({ asked: true });
        if (crash) await new Promise(() => undefined);
      });
      f.done('success');
    });
    on = bench({ subject });
    const runtime = on.runtime();
    const { id, created } = runtime.run(subject, { cwd: on.dir });
    await created;
    const written = async (): Promise<unknown> => (await runtime.status(id)).steps[0]?.progress?.extra;
    await expect.poll(written).toEqual({ asked: true });
    crash = false;
    // The first runtime is as good as dead: its claim is taken over.
    expect(await on.runtime().resume(id).result).toMatchObject({ ok: true, steps: [{ attempt: 2 }] });
    expect(attempts).toEqual([{ attempt: 1, resumed: false }, { attempt: 2, resumed: true, previous: { asked: true } }]);
  });

  it('is tried again as its rule says, keeping what was recorded, and a cancelation ends the pause at once', async () => {
    const seen: unknown[] = [];
    const subject = hostFlow('subject', async (f) => {
      await f.external('push', { key: 'k', retry: ({ evidence }, attempt) => ((evidence as { kind?: unknown }).kind === 'transient' ? { delayMs: attempt * 60_000 } : undefined) }, async ({ attempt, previous, previousFailure, record }) => {
        seen.push({ attempt, previous, text: previousFailure?.text });
        if (attempt === 1) record('first');
        throw Object.assign(new Error(`no network ${attempt}`), { kind: 'transient', hint: 'Wait.' });
      });
      f.done('success');
    });
    on = bench({ subject });
    const { clock, delays, fire } = heldClock();
    const events: RunEvent[] = [];
    const runtime = on.runtime({ clock, onEvent: (event) => events.push(event) });
    const handle = runtime.run(subject, { cwd: on.dir });
    for (const failures of [1, 2, 3]) {
      await expect.poll(() => delays.length).toBe(failures);
      if (failures < 3) fire();
    }
    expect(delays).toEqual([60_000, 120_000, 180_000]);
    expect(seen).toEqual([
      { attempt: 1, previous: undefined, text: undefined },
      { attempt: 2, previous: 'first', text: 'no network 1' },
      { attempt: 3, previous: 'first', text: 'no network 2' },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'step.retrying', error: { code: 'external_failed', text: 'no network 3', hint: 'Wait.', evidence: { kind: 'transient' } } }));
    await handle.cancel();
    expect(await handle.result).toMatchObject({ status: 'canceled' });
    expect(seen).toHaveLength(3);
  });

  it('goes on with its pause where a host that stopped left it', async () => {
    let attempts = 0;
    const subject = hostFlow('subject', async (f) => {
      await f.external('push', { key: 'k', retry: () => ({ delayMs: 60_000 }) }, async () => {
        attempts += 1;
        if (attempts === 1) throw new Error('no network');
      });
      f.done('success');
    });
    on = bench({ subject });
    const first = heldClock();
    const runtime = on.runtime({ clock: first.clock });
    const handle = runtime.run(subject, { cwd: on.dir });
    await expect.poll(() => first.delays.length).toBe(1);
    await runtime.close();
    expect(await handle.result).toMatchObject({ status: 'interrupted' });
    const second = heldClock();
    const resumed = on.runtime({ clock: second.clock }).resume(handle.id);
    await expect.poll(() => second.delays.length).toBe(1);
    expect(second.delays[0]).toBeGreaterThan(1_000);
    expect(attempts).toBe(1);
    second.fire();
    expect(await resumed.result).toMatchObject({ ok: true, steps: [{ attempt: 2 }] });
  });

  it('fails with the error of the effect; what the body catches does not fail the run', async () => {
    const codes: unknown[] = [];
    const fails = async (f: HostContext, effect: () => Promise<unknown>): Promise<void> => {
      try {
        await f.external('fails', { key: 'k' }, effect);
      } catch (error) {
        const { code, text, hint, evidence } = error as FlowsError;
        codes.push({ code, text, hint, evidence });
      }
    };
    const subject = hostFlow<{ last: boolean }>('subject', async (f, { last }) => {
      await fails(f, async () => Promise.reject(new FlowsError('forge_refused', 'No.', { hint: 'Ask.', evidence: { status: 403 } })));
      await fails(f, async () => Promise.reject(Object.assign(new Error('Moved.'), { kind: 'conflict', evidence: { to: 'b' } })));
      await fails(f, async () => 5n);
      await fails(f, async () => Promise.reject(new Error('It said hunter22-hunter22.')));
      if (last) await f.external('last', { key: 'k' }, async () => Promise.reject(new Error('For good.')));
      f.done('success');
    });
    on = bench({ subject });
    const runtime = on.runtime({ env: { DEPLOY_PASSWORD: 'hunter22-hunter22' } });
    expect(await runtime.run(subject, { cwd: on.dir, input: { last: false } }).result).toMatchObject({ ok: true, completionReason: 'success' });
    expect(codes).toMatchObject([
      { code: 'forge_refused', text: 'No.', hint: 'Ask.', evidence: { status: 403 } },
      { code: 'external_failed', text: 'Moved.', evidence: { kind: 'conflict', to: 'b' } },
      { code: 'external_failed', text: expect.stringContaining('not JSON') as string },
      { code: 'external_failed', text: expect.not.stringContaining('hunter22') as string },
    ]);
    const failed = await runtime.run(subject, { cwd: on.dir, input: { last: true } }).result;
    expect(failed).toMatchObject({ ok: false, status: 'failed', completionReason: 'step_failed' });
    expect(failed.diagnostics[0]).toMatchObject({ code: 'external_failed', message: 'For good.', stepId: 'external-5' });
  });

  it('a replay with another key is refused and leaves the run as it was', async () => {
    let key = 'one';
    const subject = hostFlow('subject', async (f) => {
      await f.external('create', { key }, async () => 'made');
      await f.signal('go');
      f.done('success');
    });
    on = bench({ subject });
    const { id, result } = on.runtime().run(subject, { cwd: on.dir });
    await result;
    key = 'two';
    await expect(on.runtime().resume(id).result).rejects.toMatchObject({ code: 'replay_mismatch', stepId: 'external-1', text: expect.stringMatching(/"key":"one"[\s\S]*"key":"two"/) as string });
    expect((await on.runtime().status(id)).run.status).toBe('parked');
  });

  it('checks its options at the call', async () => {
    const codes: unknown[] = [];
    const subject = hostFlow('subject', async (f) => {
      const tries = [
        () => f.external('', { key: 'k' }, async () => 1),
        () => f.external('a', { key: '' }, async () => 1),
        () => f.external('a', { key: 'k', more: 1 } as never, async () => 1),
        () => f.external('a', { key: 'k', input: 5n as never }, async () => 1),
        () => f.external('a', { key: 'k' }, undefined as never),
        () => f.signal(''),
        () => f.signal('answer:human-1'),
        () => f.signal('run:cancel'),
        () => f.signal('two\nlines'),
      ];
      for (const attempt of tries) {
        try {
          attempt();
        } catch (error) {
          codes.push((error as FlowsError).code);
        }
      }
      f.done('success');
    });
    on = bench({ subject });
    expect(await on.runtime().run(subject, { cwd: on.dir }).result).toMatchObject({ ok: true, steps: [] });
    expect(codes).toEqual(Array.from({ length: 9 }, () => 'options_invalid'));
  });

  it('does not make the run look for processes, as a command does', async () => {
    const subject = hostFlow<{ command: boolean }>('subject', async (f, { command }) => {
      await f.external('create', { key: 'k' }, async () => 'made');
      if (command) await f.run('true');
      await f.signal('go');
      f.done('success');
    });
    on = bench({ subject });
    const sweeps: string[] = [];
    const machine = { ...thisMachine, sweep: async (runId: string) => void sweeps.push(runId) };
    const runtime = createRuntimeOn({ machine }, { journal: adoptable(createMemoryJournal({ store: on.store })), dataDir: on.dir, flows: { subject: { version: '1.0.0', flow: subject } } });
    for (const command of [false, true]) {
      const { id, result } = runtime.run(subject, { cwd: on.dir, input: { command } });
      expect(await result).toMatchObject({ status: 'parked' });
      expect(sweeps).toEqual(command ? [id] : []);
      await runtime.signal({ runId: id, name: 'go', payload: null });
      expect(await runtime.resume(id).result).toMatchObject({ ok: true });
      expect(sweeps).toEqual(command ? [id] : []);
    }
  });
});

describe('f.signal', () => {
  const subject = hostFlow('subject', async (f) => {
    const first = await f.signal<{ n: number }>('news');
    const second = await f.signal<{ n: number }>('news');
    f.done('success', { detail: `${first.n} ${second.n}` });
  });

  it('parks the run without a person or a time in the way, and drops it', async () => {
    on = bench({ subject });
    const events: RunEvent[] = [];
    const runtime = on.runtime({ onEvent: (event) => events.push(event) });
    const { id, result } = runtime.run(subject, { cwd: on.dir });
    const report = await result;
    expect(report).toMatchObject({ ok: false, status: 'parked', humanWaits: [], steps: [{ stepId: 'signal-1', kind: 'signal', label: 'news', title: 'news', state: 'waiting' }] });
    for (const absent of ['parkCause', 'parkedStep', 'completionReason', 'wakeAt'] as const) expect(report[absent]).toBeUndefined();
    expect(events).toContainEqual(expect.objectContaining({ type: 'wait.opened', wait: 'signal', stepId: 'signal-1' }));
    expect((await runtime.status(id)).run).toMatchObject({ status: 'parked' });
    // A handle that is new: nothing holds the run in memory any more.
    const next = runtime.resume(id);
    expect(next.result).not.toBe(result);
    expect(await next.result).toMatchObject({ status: 'parked' });
  });

  it('takes messages that came before it, in their order', async () => {
    let sent!: () => void;
    const messages = new Promise<void>((resolve) => {
      sent = resolve;
    });
    const late = hostFlow('late', async (f) => {
      await f.external('work', { key: 'k' }, async () => messages);
      const [first, second] = [await f.signal<{ n: number }>('news'), await f.signal<{ n: number }>('news')];
      f.done('success', { detail: `${first.n} ${second.n}` });
    });
    on = bench({ late });
    const runtime = on.runtime();
    const { id, created, result } = runtime.run(late, { cwd: on.dir });
    await created;
    expect(await runtime.signal({ runId: id, name: 'other', payload: 0 })).toEqual({ accepted: true });
    expect(await runtime.signal({ runId: id, name: 'news', payload: { n: 1 } })).toEqual({ accepted: true });
    expect(await runtime.signal({ runId: id, name: 'news', payload: { n: 2 } })).toEqual({ accepted: true });
    sent();
    expect(await result).toMatchObject({ ok: true, completionDetail: '1 2' });
  });

  it('of messages sent once the first counts', async () => {
    on = bench({ subject });
    const runtime = on.runtime();
    const { id, result } = runtime.run(subject, { cwd: on.dir });
    await result;
    expect(await runtime.signal({ runId: id, name: 'news', payload: { n: 1 }, once: true })).toEqual({ accepted: true });
    expect(await runtime.signal({ runId: id, name: 'news', payload: { n: 2 }, once: true })).toEqual({ accepted: false });
    expect(await runtime.resume(id).result).toMatchObject({ status: 'parked', completedSteps: 1 });
  });

  it('reserved names, unknown and finished runs and what is not JSON are refused; a payload is redacted', async () => {
    const keeps = hostFlow('keeps', async (f) => {
      f.done('success', { detail: JSON.stringify(await f.signal('news')) });
    });
    on = bench({ keeps });
    const runtime = on.runtime({ env: { DEPLOY_PASSWORD: 'hunter22-hunter22' } });
    const { id, result } = runtime.run(keeps, { cwd: on.dir });
    await result;
    for (const name of ['cancel', 'run:cancel', 'answer:human-1', '', 'a\nb', 'x'.repeat(513)]) {
      await expect(runtime.signal({ runId: id, name, payload: null })).rejects.toMatchObject({ code: 'invalid_invocation' });
    }
    await expect(runtime.signal({ runId: id, name: 'news', payload: 5n as never })).rejects.toMatchObject({ code: 'input_invalid' });
    await expect(runtime.signal({ runId: 'nobody', name: 'news', payload: null })).rejects.toMatchObject({ code: 'run_not_found' });
    await runtime.signal({ runId: id, name: 'news', payload: { said: 'hunter22-hunter22' } });
    const report = await runtime.resume(id).result;
    expect(report.completionDetail).toContain('said');
    expect(report.completionDetail).not.toContain('hunter22');
    await expect(runtime.signal({ runId: id, name: 'news', payload: null })).rejects.toMatchObject({ code: 'run_finished' });
  });

  it.each(['before', 'after'] as const)('a message that comes %s the run is parked, while it comes to rest, is taken up by who executes it', async (when) => {
    on = bench({ subject });
    const journal = createMemoryJournal({ store: on.store });
    let send: (() => Promise<unknown>) | undefined;
    const slow = new Proxy(journal, {
      get(target, key) {
        const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
        if (key !== 'park') return typeof member === 'function' ? member.bind(target) : member;
        return async (...args: unknown[]) => {
          if (when === 'before') await send?.();
          await member.apply(target, args);
          if (when === 'after') await send?.();
          send = undefined;
        };
      },
    });
    const runtime = on.runtime({ journal: slow });
    const handle = runtime.run(subject, { cwd: on.dir });
    send = () => runtime.signal({ runId: handle.id, name: 'news', payload: { n: 1 } });
    expect(await handle.result).toMatchObject({ status: 'parked', completedSteps: 1 });
  });

  it.each(['cancel', 'interrupt'] as const)('a request to %s that comes while the run comes to rest is heeded', async (request) => {
    on = bench({ subject });
    const journal = createMemoryJournal({ store: on.store });
    let stopping: Promise<void> | undefined;
    const slow = new Proxy(journal, {
      get(target, key) {
        const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
        if (key !== 'park') return typeof member === 'function' ? member.bind(target) : member;
        return async (...args: unknown[]) => {
          stopping = handle[request]();
          await journal.signal({ runId: handle.id, name: 'news', payload: { n: 1 }, at: 0, once: false });
          await member.apply(target, args);
        };
      },
    });
    const handle = on.runtime({ journal: slow }).run(subject, { cwd: on.dir });
    // A host that stops takes nothing up any more; the message stays for who resumes the run.
    expect(await handle.result).toMatchObject({ status: request === 'cancel' ? 'canceled' : 'parked' });
    await stopping;
    if (request === 'interrupt') expect(await on.runtime().resume(handle.id).result).toMatchObject({ status: 'parked', completedSteps: 1 });
  });

  it('a message that comes after the run has looked for the last time is not lost to who resumes it at once', async () => {
    on = bench({ subject });
    const journal = createMemoryJournal({ store: on.store });
    let afterLook: (() => Promise<void>) | undefined;
    const slow = new Proxy(journal, {
      get(target, key) {
        const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
        if (key !== 'signals') return typeof member === 'function' ? member.bind(target) : member;
        return async (...args: unknown[]) => {
          const seen = await member.apply(target, args);
          await afterLook?.();
          return seen;
        };
      },
    });
    const runtime = on.runtime({ journal: slow });
    const handle = runtime.run(subject, { cwd: on.dir });
    let resumed: Promise<unknown> | undefined;
    afterLook = async () => {
      afterLook = undefined;
      // Another process, or another connection, which this runtime does not hear of in time.
      await journal.signal({ runId: handle.id, name: 'news', payload: { n: 1 }, at: 0, once: false });
      resumed = runtime.resume(handle.id).result;
    };
    await handle.result;
    expect(await resumed).toMatchObject({ status: 'parked', completedSteps: 1 });
  });

  it('wakes a run that also sleeps', async () => {
    const races = hostFlow('races', async (f) => {
      f.done('success', { detail: await Promise.race([f.signal<string>('news'), f.sleep('1d').then(() => 'late')]) });
    });
    on = bench({ races });
    const runtime = on.runtime();
    const handle = runtime.run(races, { cwd: on.dir });
    for await (const event of handle.events) if (event.type === 'run.parked') break;
    await runtime.signal({ runId: handle.id, name: 'other', payload: null });
    await runtime.signal({ runId: handle.id, name: 'news', payload: 'in time' });
    expect(await handle.result).toMatchObject({ ok: true, completionDetail: 'in time' });
  });
});

describe('a run that the journal failed', () => {
  it('is taken up again by the same runtime, though its claim could not be given back', async () => {
    const journal = createMemoryJournal();
    let full = false;
    let effects = 0;
    const failing = new Proxy(journal, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]) => {
          if (full && (name === 'completed' || name === 'park' || name === 'started')) return Promise.reject(new FlowsError('journal_full', 'There is no space left.'));
          return (method as (...given: unknown[]) => unknown).apply(target, [...args]);
        };
      },
    });
    const ticket = hostFlow('ticket', async (f) => {
      await f.external('act', { key: 'act' }, async () => {
        effects += 1;
        full = effects === 1;
        return null;
      });
      f.done('success');
    });
    on = bench({});
    const runtime = on.runtime({ journal: failing, flows: { ticket: { version: '1', flow: ticket } } });
    await expect(runtime.run('ticket', { id: 'r', cwd: on.dir }).result).rejects.toMatchObject({ code: 'journal_full' });
    full = false;
    expect(await runtime.resume('r').result).toMatchObject({ status: 'completed' });
    expect(effects).toBe(2);
  });
});
