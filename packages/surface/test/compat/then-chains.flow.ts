/** Chains of `.then(op)` whose callbacks return the next step, built first and awaited later. */
import { flow, type Ctx, type Step } from '@relayflows/surface';

type Operation = (f: Ctx, previous: string) => Step<string>;

const OPERATIONS: readonly Operation[] = [
  (f, previous) => f.run(`echo ${previous.trim()}a`),
  (f, previous) => f.run(`echo ${previous.trim()}b`),
  (f, previous) => f.run(`echo ${previous.trim()}c`),
];

const chain = (f: Ctx, seed: string): PromiseLike<string> =>
  OPERATIONS.reduce<PromiseLike<string>>((before, operation) => before.then((previous) => operation(f, previous)), Promise.resolve(seed));

export default flow('then-chains', async (f) => {
  const pending = ['1', '2', '3'].map((seed) => chain(f, seed));
  const ends = await Promise.all(pending);

  const direct = await f.run('echo x').then((text) => f.run(`echo ${text.trim()}y`)).then((text) => f.run(`echo ${text.trim()}z`));
  const recovered = await f.run('echo ok').then(() => Promise.reject(new Error('later'))).then(undefined, (error: unknown) => (error as Error).message);

  f.done('success', { detail: [...ends, direct].map((text) => text.trim()).concat(recovered).join(' ') });
});
