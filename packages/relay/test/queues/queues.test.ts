import { expect, it } from 'vitest';
import { Gate } from '../../src/queues/gate.js';
import { Locks } from '../../src/queues/locks.js';

function held(): { readonly promise: Promise<void>; readonly release: () => void } {
  let release!: () => void;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

const settled = async (): Promise<void> => await new Promise((resolve) => void setImmediate(resolve));

it('lets so many through at once, the others in their order, also after failures', async () => {
  const gate = new Gate(2);
  const began: number[] = [];
  const doors = Array.from({ length: 5 }, held);
  const all = Promise.allSettled(doors.map(({ promise }, index) => gate.pass(async () => {
    began.push(index);
    await promise;
    if (index % 2 === 0) throw new Error('no');
  })));
  await settled();
  expect(began).toEqual([0, 1]);
  for (const [index, door] of doors.entries()) {
    door.release();
    await settled();
    expect(began).toEqual([0, 1, 2, 3, 4].slice(0, index + 3));
  }
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected']);
  expect(await gate.pass(async () => 'again')).toBe('again');
});

it('holds what has one key apart, in its order, and nothing else', async () => {
  const locks = new Locks();
  const began: string[] = [];
  const first = held();
  const work = (name: string, wait?: Promise<void>) => async (): Promise<void> => {
    began.push(name);
    await wait;
    if (name === 'a1') throw new Error('no');
  };
  const all = Promise.allSettled([locks.hold('a', work('a1', first.promise)), locks.hold('a', work('a2')), locks.hold('b', work('b1')), locks.hold('a', work('a3'))]);
  await settled();
  expect(began).toEqual(['a1', 'b1']);
  first.release();
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(began).toEqual(['a1', 'b1', 'a2', 'a3']);
});
