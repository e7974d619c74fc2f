import { flow } from '@relayflows/surface';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../src/testing/simulated-clock.js';
import { simulate } from '../../src/testing/index.js';
import { seededRandom } from '../seeded-random.js';

describe('a simulated clock', () => {
  test('calls timers by time, and those of one moment in the order in which they were set', async () => {
    const clock = new SimulatedClock(1_000);
    const called: string[] = [];
    await new Promise<void>((resolve) => {
      const note = (name: string) => () => {
        called.push(`${name} ${clock.now()}`);
        // What one timer sets off happens before the next timer of the same moment.
        void Promise.resolve().then(() => called.push(`after ${name}`));
        if (name === 'a') clock.setTimer(0, note('a2'));
        if (name === 'd') resolve();
      };
      clock.setTimer(20, note('d'));
      clock.setTimer(10, note('a'));
      clock.setTimer(10, note('b'));
      clock.setTimer(15, note('canceled')).cancel();
      clock.setTimer(-5, note('now'));
    });
    await Promise.resolve();
    expect(called).toEqual(['now 1000', 'after now', 'a 1010', 'after a', 'b 1010', 'after b', 'a2 1010', 'after a2', 'd 1020', 'after d']);
  });

  test('stands still while it is held, however many turns of the event loop that takes', async () => {
    const clock = new SimulatedClock(0);
    const releases = [clock.hold(), clock.hold()];
    let called = false;
    const done = new Promise<void>((resolve) => clock.setTimer(5, () => {
      called = true;
      resolve();
    }));
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    releases[0]?.();
    // Releasing twice releases nobody else's.
    releases[0]?.();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect([called, clock.now()]).toEqual([false, 0]);
    releases[1]?.();
    await done;
    expect(clock.now()).toBe(5);
  });

  test('stopped, it calls nobody', async () => {
    const clock = new SimulatedClock(0);
    clock.setTimer(5, () => expect.unreachable());
    clock.stop();
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(clock.now()).toBe(0);
  });
});

/** Branches that start, end and wait at the same moments, and note in which order they saw it. */
const branches = flow<{ readonly width: number }>('branches', async (f, { width }) => {
  const order: string[] = [];
  await Promise.all(Array.from({ length: width }, async (_, branch) => {
    await f.run(`first ${branch}`);
    order.push(`first ${branch}`);
    await f.agent(`agent ${branch}`, { task: 'Work.', cwd: `place-${branch % 3}` });
    order.push(`agent ${branch}`);
    await f.sleep(branch % 2 === 0 ? '5m' : 5 * 60_000);
    order.push(`slept ${branch}`);
    await f.run(`last ${branch}`);
    order.push(`last ${branch}`);
  }));
  f.done('success', { detail: order.join(', ') });
});

describe('a simulation', () => {
  test('comes out the same, however long its scripts take to answer', async () => {
    const once = async (seed: number) => {
      const random = seededRandom(seed);
      const late = async <T>(answer: T): Promise<T> => {
        for (let turns = random(4); turns > 0; turns -= 1) await new Promise((resolve) => setTimeout(resolve, random(3)));
        return answer;
      };
      return await simulate(branches, {
        input: { width: 6 },
        run: ({ command }) => late({ takes: command.startsWith('first') ? '2m' : 0 }),
        agent: ({ cwd }) => late({ message: 'Done.', takes: cwd === 'place-1' ? '1m' : '10m' }),
      });
    };
    const first = await once(1);
    expect(first.verdict.completionReason).toBe('success');
    for (const seed of [2, 3, 4]) expect(await once(seed)).toEqual(first);
  });

  test('steps that finish at one moment reach the flow in the order in which they began', async () => {
    const { verdict } = await simulate(branches, { input: { width: 4 }, run: () => ({ takes: '1m' }), agent: () => ({ message: 'Done.', takes: '1m' }) });
    expect(verdict.detail?.split(', ').slice(0, 4)).toEqual(['first 0', 'first 1', 'first 2', 'first 3']);
  });

  test('all calls of one moment begin before one of them ends', async () => {
    const { calls } = await simulate(branches, { input: { width: 3 }, run: () => '', agent: () => 'Done.' });
    expect(calls.slice(0, 3).map(({ id, start }) => [id, start])).toEqual([['run-1', 0], ['run-2', 0], ['run-3', 0]]);
  });

  test('sleeps for months in no time', async () => {
    const patient = flow('patient', async (f) => {
      for (let month = 0; month < 12; month += 1) await f.sleep('30d');
      f.done('success');
    });
    expect((await simulate(patient)).elapsed).toBe(360 * 24 * 3_600_000);
  });
});
