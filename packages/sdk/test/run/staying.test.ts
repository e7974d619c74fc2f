import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/journal/memory.js';
import type { RunEvent } from '../../src/run/events.js';
import { hostFlow } from '../../src/run/host-flow.js';
import { GRACE_MS, Staying } from '../../src/run/staying.js';
import { bench, type Bench } from './harness.js';

let on: Bench;
afterEach(() => on.dispose());

const ROUNDS = 4;

/** Adds up what it is sent; `calls` counts how often its body was called. */
function adder(calls: { count: number }) {
  return hostFlow('adder', async (f) => {
    calls.count += 1;
    let sum = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      sum += await f.signal<number>('add');
      await f.external('note', { key: `note-${round}` }, async () => await Promise.resolve(sum));
    }
    f.done('success', { detail: String(sum) });
  });
}

describe('a run that stays', () => {
  it.each([{ stays: true, stay: { forMs: 60_000, atMost: 8 } }, { stays: false, stay: undefined }])('does the same as one that parks and is brought back (stays: $stays)', async ({ stays, stay }) => {
    const calls = { count: 0 };
    const subject = adder(calls);
    on = bench({ adder: subject });
    const events: RunEvent['type'][] = [];
    const runtime = on.runtime({ ...(stay === undefined ? {} : { stay }), onEvent: ({ type }) => events.push(type) });
    const { id } = runtime.run(subject, { cwd: on.dir });
    let result = runtime.resume(id).result;
    for (let round = 1; round <= ROUNDS; round += 1) {
      if (!stays) await result;
      await expect.poll(async () => (await runtime.status(id)).steps.at(-1)).toMatchObject({ stepId: `signal-${2 * round - 1}`, wait: { type: 'signal' } });
      await runtime.signal({ runId: id, name: 'add', payload: round });
      result = runtime.resume(id).result;
    }
    expect(await result).toMatchObject({ ok: true, completionDetail: '10' });
    expect(calls.count).toBe(stays ? 1 : ROUNDS + 1);
    expect(events.filter((type) => type === 'run.parked')).toHaveLength(stays ? 0 : ROUNDS);
    const rows = (await runtime.status(id)).steps.map(({ stepId, position, created, attempt, fingerprint, outcome }) => ({ stepId, position, created, attempt, fingerprint, outcome }));
    expect(rows.map(({ stepId, position, created, attempt }) => [stepId, position, created, attempt])).toEqual(Array.from({ length: 2 * ROUNDS }, (_, n) => [`${n % 2 === 0 ? 'signal' : 'external'}-${n + 1}`, n + 1, n + 1, 1]));
    expect(rows.map(({ outcome }) => (outcome?.ok === true ? outcome.value : undefined))).toEqual([1, 1, 2, 3, 3, 6, 4, 10]);
  });

  it('is brought back from the journal when its process died meanwhile', async () => {
    const calls = { count: 0 };
    const subject = adder(calls);
    on = bench({ adder: subject });
    // It hears of nothing that others write.
    const deaf = Object.assign(createMemoryJournal({ store: on.store }), { onForeignChange: () => () => undefined });
    const first = on.runtime({ journal: deaf, stay: { forMs: 60_000, atMost: 8 } });
    const { id } = first.run(subject, { cwd: on.dir });
    await expect.poll(async () => (await first.status(id)).steps.at(-1)).toMatchObject({ stepId: 'signal-1' });
    await first.signal({ runId: id, name: 'add', payload: 1 });
    await expect.poll(async () => (await first.status(id)).steps.at(-1)).toMatchObject({ stepId: 'signal-3' });
    // The first one is as good as dead: its claim is taken over.
    const second = on.runtime();
    for (let round = 2; round <= ROUNDS; round += 1) await second.signal({ runId: id, name: 'add', payload: round });
    expect(await second.resume(id).result).toMatchObject({ ok: true, completionDetail: '10' });
    expect(calls.count).toBe(2);
  });

  it('makes room for one that waits since later', async () => {
    on = bench({ adder: adder({ count: 0 }) });
    const runtime = on.runtime({ stay: { forMs: 60_000, atMost: 1 } });
    const [first, second] = [runtime.run('adder', { cwd: on.dir }), runtime.run('adder', { cwd: on.dir })];
    const parked = await Promise.race([first.result, second.result]);
    expect(parked.status).toBe('parked');
    const stayed = parked.runId === first.id ? second : first;
    expect((await runtime.status(stayed.id)).run.status).toBe('running');
    await runtime.close();
    expect((await stayed.result).status).toBe('interrupted');
  });
});

describe('staying', () => {
  const timers: { readonly at: number; readonly callback: () => void; canceled: boolean }[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    setTimer: (ms: number, callback: () => void) => {
      const timer = { at: now + ms, callback, canceled: false };
      timers.push(timer);
      return {
        cancel: () => {
          timer.canceled = true;
        },
      };
    },
  };
  const due = (): number[] => timers.filter(({ canceled }) => !canceled).map(({ at }) => at);

  it('lets the run leave that waits longest, but none before its grace is over', () => {
    on = bench({});
    const staying = new Staying({ clock, forMs: 500, atMost: 2 });
    staying.begin(() => undefined);
    now = 15;
    staying.begin(() => undefined);
    const third = staying.begin(() => undefined);
    expect(due()).toEqual([515, 515, GRACE_MS]);
    // One that goes on makes room.
    third.cancel();
    staying.begin(() => undefined);
    expect(due()).toEqual([515, GRACE_MS, 515]);
    now = 400;
    staying.begin(() => undefined);
    expect(due()).toEqual([GRACE_MS, 515, 900, 400]);
  });
});
