// The flows that crash tests run in a process of their own. Every effect adds a line to `effects`.
import { appendFileSync } from 'node:fs';
import { hostFlow } from '@relayflows/sdk';
import { flow } from '@relayflows/surface';

/** The messages that the host sends to a run it has begun. */
export const sending = { promise: Promise.resolve() };

const effect = (name) => `echo ${name} >> effects`;

export const flows = {
  sequential: flow('sequential', async (f) => {
    const id = await f.uuid();
    await f.run(effect('a'));
    await f.run(effect('b'), { onNonZero: 'record' });
    await f.run(effect(`"${id}"`)).gate((output) => output === '');
    await f.run(effect('d'));
    f.done('success');
  }),
  concurrent: flow('concurrent', async (f) => {
    const line = async (name) => {
      await f.run(effect(`${name}1`));
      await f.uuid();
      await f.run(effect(`${name}2`));
    };
    await Promise.all(['x', 'y', 'z'].map(line));
    await f.run(effect('end'));
    f.done('success');
  }),
  budgeted: flow('budgeted', { budget: { wallclock: '1h' } }, async (f) => {
    await f.run(effect('a'));
    await Promise.all([f.run(effect('b')), f.run(effect('c'))]);
    await f.run(effect('d'));
    f.done('needs_human', { detail: 'look' });
  }),
  looping: hostFlow('looping', async (f, input) => {
    const { turn, said } = input ?? { turn: 1, said: '' };
    await f.external('turn', { key: `turn-${turn}` }, async () => {
      appendFileSync('effects', `turn${turn}\n`);
      // In the first process; every message is there before any is taken.
      await sending.promise;
    });
    const all = [said, await f.signal('go')].join('');
    if (turn < 3) await f.continueAs({ turn: turn + 1, said: all });
    f.done('success', { detail: all });
  }),
  held: flow('held', async (f) => {
    await f.run(`${effect('begun')}; while [ ! -e go ]; do sleep 0.05; done; echo went >> went`);
    f.done('success');
  }),
  parked: flow('parked', async (f) => {
    await f.run(effect('before'));
    const yes = await f.human('Go on?', { to: 'maria' });
    await f.run(effect(yes ? 'yes' : 'no'));
    f.done(yes ? 'success' : 'declined');
  }),
};
