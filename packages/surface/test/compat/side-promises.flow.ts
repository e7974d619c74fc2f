/** Ordinary promise code between steps: timers, a lazily shared promise, a step created early and awaited late. */
import { flow } from '@relayflows/surface';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export default flow('side-promises', async (f) => {
  const late = f.run('cat early.txt');
  let shared: PromiseLike<string> | undefined;
  const once = (): PromiseLike<string> => (shared ??= f.run('echo shared').then((text) => text.trim()));

  await f.run('echo early > early.txt');
  await pause(20);
  const [first, second] = await Promise.all([once(), once()]);
  const number = await f.now();
  await pause(5);
  const unique = await f.uuid();

  f.done('success', { detail: [(await late).trim(), first === second ? first : 'twice', typeof number, unique.length].join(' ') });
});
