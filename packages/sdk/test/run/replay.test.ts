import { flow } from '@relayflows/surface';
import { afterEach, describe, expect, it } from 'vitest';
import { isFlowsError } from '../../src/errors/flows-error.js';
import { createMemoryJournal } from '../../src/journal/memory.js';
import type { RunReport } from '../../src/run/report.js';
import { adoptable, bench, dyingJournal, type Bench } from './harness.js';
import { execute, randomProgram } from './random-program.js';

let on: Bench | undefined;
afterEach(() => on?.dispose());

const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1);

describe('a random program, killed at a write of its journal and resumed', () => {
  // What a body sees of its own timers is its own affair; which steps it creates, and in which order, must hold all the same.
  it.each(SEEDS.flatMap((seed) => [{ seed, timers: false }, { seed, timers: true }]))('repeats what it saw and does nothing twice (seed $seed, timers $timers)', async ({ seed, timers }) => {
    const program = randomProgram(seed, { timers });
    const traces: string[][] = [];
    const finished = new Map<number, number>();
    let slowness = 1;
    const subject = flow('subject', { hooks: ['effect'] }, async (f) => {
      const trace: string[] = [];
      traces.push(trace);
      await execute(program, f, trace, slowness);
      f.done('success');
    });
    const hooks = {
      effect: async (input: unknown) => {
        const { id, delay } = input as { id: number; delay: number };
        await new Promise((resolve) => setTimeout(resolve, delay));
        finished.set(id, (finished.get(id) ?? 0) + 1);
        return id % 3 !== 0;
      },
    };
    on = bench({ subject });
    const acknowledged = new Map<number, number>();
    let runId: string | undefined;
    let report: RunReport | undefined;
    for (let write = 2 + (seed % 5); report === undefined; write += 3) {
      const { journal, died } = dyingJournal(adoptable(createMemoryJournal({ store: on.store })), { write, after: seed % 2 === 0 });
      const runtime = on.runtime({ journal, hooks });
      const handle = runId === undefined ? runtime.run(subject, { cwd: on.dir }) : runtime.resume(runId);
      runId = handle.id;
      try {
        report = await Promise.race([handle.result, died.then(() => undefined)]);
      } catch (error) {
        // On a busy machine a body's own timer may fire earlier than when it was recorded. That is refused and leaves the run as it was.
        // However slow the machine is, a timer that takes longer each time does not for ever.
        slowness *= 2;
        if (!timers || slowness > 64 || !isFlowsError(error) || error.code !== 'replay_mismatch') throw error;
      }
      // What a dead process was doing ends with it; here it must not be counted.
      if (report === undefined) await new Promise((resolve) => setTimeout(resolve, 8));
      for (const line of traces.at(-1) ?? []) {
        const id = Number(/^effect (\d+)/.exec(line)?.[1]);
        if (!Number.isNaN(id) && !acknowledged.has(id)) acknowledged.set(id, finished.get(id) ?? 0);
      }
    }
    expect(report.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(report.completionReason).toBe('success');
    const last = traces.at(-1) ?? [];
    for (const [id, count] of acknowledged) expect(finished.get(id), `effect ${id}`).toBe(count);
    if (timers) return;
    for (const trace of traces) expect(last.slice(0, trace.length)).toEqual(trace);
  });
});

/** Hooks that answer after so many milliseconds; 0 fails. */
const hooks = {
  after: async (ms: unknown) => {
    if (ms === 0) throw new Error('no');
    await new Promise((resolve) => setTimeout(resolve, ms as number));
    return true;
  },
};

it('a step whose outcome is being recorded when the run comes to rest has no say in the verdict', async () => {
  const subject = flow('subject', { hooks: ['after'] }, async (f) => {
    // The first fails, and the last keeps the run from coming to rest until that is recorded.
    await Promise.race([f.hook('after', 0), f.uuid(), f.hook('after', 300)]);
    f.done('success');
  });
  on = bench({ subject });
  const journal = createMemoryJournal({ store: on.store });
  const slow = new Proxy(journal, {
    get(target, key) {
      const member = Reflect.get(target, key) as (...args: unknown[]) => Promise<unknown>;
      if (key !== 'completed') return typeof member === 'function' ? member.bind(target) : member;
      return async (args: Parameters<typeof journal.completed>[0]) => {
        const [record] = args.records;
        if (record?.seq === 1) await new Promise((resolve) => setTimeout(resolve, 100));
        return target.completed(args);
      };
    },
  });
  expect(await on.runtime({ journal: slow, hooks }).run(subject, { cwd: on.dir }).result).toMatchObject({ completionReason: 'success' });
});

it('a body that ends sooner than it did is not one that asked for other steps', async () => {
  let cleanUp: (() => Promise<void>) | undefined;
  const subject = flow('subject', { hooks: ['after'] }, async (f) => {
    await Promise.race([f.uuid(), ...[1, 2, 3, 4, 5].map((ms) => f.hook('after', ms))]);
    f.done('success');
    await cleanUp?.();
  });
  on = bench({ subject });
  let died!: () => void;
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  const journal = adoptable(createMemoryJournal({ store: on.store }));
  const dying = new Proxy(journal, {
    get(target, key) {
      if (key !== 'finish') return Reflect.get(target, key) as unknown;
      return () => {
        died();
        return new Promise(() => undefined);
      };
    },
  });
  const first = on.runtime({ journal: dying, hooks });
  const arrived = async (): Promise<number> => (await first.status(id)).steps.filter(({ position }) => position !== undefined).length;
  // It lasts until the outcomes that nobody waits for have arrived as well.
  cleanUp = async () => {
    while ((await arrived()) < 6) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const { id } = first.run(subject, { cwd: on.dir });
  await death;
  cleanUp = undefined;
  const runtime = on.runtime({ hooks });
  expect(await arrived()).toBe(6);
  expect(await runtime.resume(id).result).toMatchObject({ completionReason: 'success' });
});
