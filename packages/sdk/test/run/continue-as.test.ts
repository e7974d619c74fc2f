import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/journal/memory.js';
import type { ClaimRef, Journal } from '../../src/journal/port.js';
import type { RunEvent } from '../../src/run/events.js';
import { hostFlow, type HostContext } from '../../src/run/host-flow.js';
import { bench, dyingJournal, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

/** Counts down, each turn with a history of its own. */
const countdown = (effects: number[]) => hostFlow<{ left: number }>('subject', async (f, { left }) => {
  await f.external('turn', { key: `turn-${left}` }, async () => void effects.push(left));
  if (left > 0) await f.continueAs({ left: left - 1 });
  f.done('success', { detail: `the end after ${(await f.now()) > 0 ? 'some time' : 'none'}` });
});

describe('f.continueAs', () => {
  it('begins again with another input and an empty history, under the same handle', async () => {
    const effects: number[] = [];
    const subject = countdown(effects);
    on = bench({ subject });
    const events: RunEvent[] = [];
    const runtime = on.runtime({ onEvent: (event) => events.push(event) });
    const handle = runtime.run(subject, { cwd: on.dir, input: { left: 2 } });
    expect(await handle.result).toMatchObject({ ok: true, runId: handle.id, steps: [{ stepId: 'external-1' }, { stepId: 'now-2' }] });
    expect(effects).toEqual([2, 1, 0]);
    expect(events.filter(({ type }) => type === 'run.started')).toHaveLength(3);
    expect(events.every(({ runId }) => runId === handle.id)).toBe(true);
    expect((await runtime.status(handle.id)).run).toMatchObject({ status: 'completed', input: { left: 0 } });
  });

  it('a thousand times over, with a history that does not grow', async () => {
    const effects: number[] = [];
    const subject = countdown(effects);
    on = bench({ subject });
    let longest = 0;
    const journal = createMemoryJournal({ store: on.store });
    const watched = new Proxy(journal, {
      get(target, key) {
        const member = Reflect.get(target, key) as (...args: unknown[]) => unknown;
        if (key === 'continueAs') for (const { steps } of on.store.runs.values()) longest = Math.max(longest, steps.size);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const handle = on.runtime({ journal: watched }).run(subject, { cwd: on.dir, input: { left: 1_000 } });
    expect(await handle.result).toMatchObject({ ok: true });
    expect(effects).toHaveLength(1_001);
    expect(longest).toBe(1);
  });

  /** A journal to which something happens in the moment in which a run begins again. */
  const beforeBeginningAgain = (act: (journal: Journal, claim: ClaimRef) => Promise<unknown>): Journal =>
    new Proxy(createMemoryJournal({ store: on.store }), {
      get(target, key) {
        const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
        if (key !== 'continueAs') return typeof member === 'function' ? member.bind(target) : member;
        return async (args: ClaimRef) => {
          await act(target, args);
          await member.call(target, args);
        };
      },
    });

  it('keeps messages that the body did not get, also one that an open step had taken', async () => {
    const subject = hostFlow<{ got: string[] }>('subject', async (f, { got }) => {
      const news = f.signal<string>('news');
      if (got.length === 0) {
        void news.then(() => undefined);
        await f.continueAs({ got: [await f.signal<string>('begin')] });
      }
      f.done('success', { detail: [...got, await news, await f.signal<string>('news')].join(' ') });
    });
    on = bench({ subject });
    const runtime = on.runtime({
      journal: beforeBeginningAgain(async (journal, { runId, epoch }) => {
        for (const payload of ['a', 'b']) await journal.signal({ runId, name: 'news', payload, at: 0, once: false });
        expect(await journal.takeSignal({ runId, epoch, name: 'news', seq: 1 })).toMatchObject({ payload: 'a' });
      }),
    });
    const { id, result } = runtime.run(subject, { cwd: on.dir, input: { got: [] } });
    await result;
    await runtime.signal({ runId: id, name: 'begin', payload: 'start' });
    expect(await runtime.resume(id).result).toMatchObject({ ok: true, completionDetail: 'start a b' });
  });

  it('stops what is open, and gives the body that called nothing more', async () => {
    const seen: string[] = [];
    const subject = hostFlow<{ turn: number }>('subject', async (f, { turn }) => {
      if (turn === 1) {
        const endless = f.external('endless', { key: 'e' }, ({ signal }) => new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            seen.push('stopped');
            reject(new Error('stopped'));
          });
        }));
        void endless.then(() => seen.push('value'), () => seen.push('failure'));
        await f.external('quick', { key: 'q' }, async () => 1);
        void f.continueAs({ turn: 2 });
        try {
          f.external('late', { key: 'l' }, async () => seen.push('late'));
        } catch (error) {
          seen.push((error as { code: string }).code);
        }
        expect(() => f.continueAs({ turn: 3 })).toThrow(expect.objectContaining({ code: 'operation_after_completion' }) as Error);
        throw new Error('nobody hears this');
      }
      f.done('success', { detail: String(turn) });
    });
    on = bench({ subject });
    expect(await on.runtime().run(subject, { cwd: on.dir, input: { turn: 1 } }).result).toMatchObject({ ok: true, completionDetail: '2', diagnostics: [] });
    expect(seen).toEqual(['operation_after_completion', 'stopped']);
  });

  it('forgets an answer to a question of before', async () => {
    const subject = hostFlow<{ turn: number }>('subject', async (f, { turn }) => {
      const question = f.human(`Turn ${turn}?`, { to: 'maria' });
      if (turn === 1) {
        void question.then(() => undefined);
        await f.signal('go');
        await f.continueAs({ turn: 2 });
      }
      f.done((await question) ? 'success' : 'declined');
    });
    on = bench({ subject });
    const runtime = on.runtime({
      journal: beforeBeginningAgain(async (journal, { runId }) => journal.signal({ runId, name: 'answer:human-1', payload: { answer: true }, at: 0, once: true })),
    });
    const { id, result } = runtime.run(subject, { cwd: on.dir, input: { turn: 1 } });
    await result;
    await runtime.signal({ runId: id, name: 'go', payload: null });
    expect(await runtime.resume(id).result).toMatchObject({ status: 'parked', humanWait: { question: 'Turn 2?' } });
    await runtime.answer({ runId: id, waitId: 'human-1', answer: false, answeredBy: 'maria' });
    expect(await runtime.resume(id).result).toMatchObject({ completionReason: 'declined' });
  });

  it('is not for what is no JSON, nor after done; its input is redacted', async () => {
    const codes: unknown[] = [];
    const refusal = (f: HostContext, input: unknown): void => {
      try {
        void f.continueAs(input as never);
      } catch (error) {
        codes.push((error as { code: string }).code);
      }
    };
    const subject = hostFlow<{ turn: number; said?: string }>('subject', async (f, { turn }) => {
      refusal(f, 5n);
      if (turn === 1) await f.continueAs({ turn: 2, said: 'hunter22-hunter22' });
      f.done('success');
      refusal(f, { turn: 3 });
    });
    on = bench({ subject });
    const runtime = on.runtime({ env: { DEPLOY_PASSWORD: 'hunter22-hunter22' } });
    const { id, result } = runtime.run(subject, { cwd: on.dir, input: { turn: 1 } });
    expect((await result).diagnostics[0]).toMatchObject({ code: 'operation_after_completion' });
    expect(codes).toEqual(['input_invalid', 'input_invalid', 'operation_after_completion']);
    expect(JSON.stringify((await runtime.status(id)).run.input)).not.toContain('hunter22');
  });

  it('a run that is stopped while it begins again rests in good order, or is canceled', async () => {
    const subject = hostFlow<{ turn: number }>('subject', async (f, { turn }) => {
      if (turn === 1) await f.continueAs({ turn: 2 });
      await f.signal('never');
    });
    on = bench({ subject });
    for (const stop of ['close', 'cancel'] as const) {
      const journal = createMemoryJournal({ store: on.store });
      let stopping: Promise<void> | undefined;
      const slow = new Proxy(journal, {
        get(target, key) {
          const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
          if (key !== 'continueAs') return typeof member === 'function' ? member.bind(target) : member;
          return async (...args: unknown[]) => {
            stopping = stop === 'close' ? runtime.close() : handle.cancel();
            await member.apply(target, args);
          };
        },
      });
      const runtime = on.runtime({ journal: slow });
      const handle = runtime.run(subject, { cwd: on.dir, input: { turn: 1 } });
      expect(await handle.result).toMatchObject({ status: stop === 'close' ? 'interrupted' : 'canceled' });
      await stopping;
      if (stop === 'close') expect(await on.runtime().resume(handle.id).result).toMatchObject({ status: 'parked', steps: [{ stepId: 'signal-1' }] });
    }
  });

  it('goes on from every write at which the process dies, with each turn once or repeated', async () => {
    for (let write = 1; ; write += 1) {
      for (const after of [false, true]) {
        const effects: number[] = [];
        const subject = countdown(effects);
        on?.dispose();
        on = bench({ subject });
        const { journal, died } = dyingJournal(createMemoryJournal({ store: on.store }), { write, after });
        const handle = on.runtime({ journal }).run(subject, { cwd: on.dir, input: { left: 2 } });
        const ended = await Promise.race([died.then(() => false), handle.result.then(() => true)]);
        if (ended) return;
        const runtime = on.runtime();
        const [run] = await runtime.list();
        if (run === undefined) continue;
        const report = run.completion === undefined ? await runtime.resume(run.id).result : (await runtime.status(run.id)).report;
        expect(report, `write ${write} ${after ? 'after' : 'before'}`).toMatchObject({ ok: true, status: 'completed' });
        expect([...new Set(effects)]).toEqual([2, 1, 0]);
        expect(effects.length).toBeLessThanOrEqual(4);
      }
    }
  });

  it('a history that the body does not repeat is not thrown away', async () => {
    let skip = false;
    const subject = hostFlow<{ turn: number }>('subject', async (f, { turn }) => {
      if (turn === 1 && skip) await f.continueAs({ turn: 2 });
      await f.external('work', { key: 'w' }, async () => 1);
      await f.signal('go');
      f.done('success');
    });
    on = bench({ subject });
    const { id, result } = on.runtime().run(subject, { cwd: on.dir, input: { turn: 1 } });
    await result;
    skip = true;
    await expect(on.runtime().resume(id).result).rejects.toMatchObject({ code: 'replay_mismatch', stepId: 'external-1' });
    expect((await on.runtime().status(id)).steps).toHaveLength(2);
  });
});
