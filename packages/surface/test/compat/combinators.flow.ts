/** race, any, allSettled and all, nested in each other; the losers of a race are awaited later. */
import { flow } from '@relayflows/surface';

export default flow('combinators', async (f) => {
  const slow = Promise.resolve(f.run('until [ -e raced ]; do sleep 0.05; done; echo slow'));
  const fast = Promise.resolve(f.run('echo fast'));
  const winner = await Promise.race([slow, fast]);
  await f.run('touch raced');
  await slow;

  const any = await Promise.any([
    f.run('exit 0').then(() => Promise.reject<string>(new Error('unwanted'))),
    f.run('sleep 0.05; echo first-good'),
  ]);

  const settled = await Promise.allSettled([
    f.run('exit 4', { onNonZero: 'record' }),
    Promise.all([f.run('echo 1'), Promise.race([f.run('echo 2'), f.run('echo 2')])]),
    (async () => {
      throw new Error('expected');
    })(),
  ]);
  const kinds = settled.map((entry) => (entry.status === 'fulfilled' ? 'ok' : (entry.reason as Error).message));
  const recorded = settled[0];

  f.done('success', {
    detail: [winner, any, ...kinds, recorded.status === 'fulfilled' ? String(recorded.value.exitCode) : 'none'].map((text) => text.trim()).join(' '),
  });
});
