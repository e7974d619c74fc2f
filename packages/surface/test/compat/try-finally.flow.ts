/** Clean-up in `finally`, nested, with steps of its own; a recorded failure decides the branch. */
import { flow, type Ctx } from '@relayflows/surface';

async function withFile<T>(f: Ctx, name: string, work: () => Promise<T>): Promise<T> {
  await f.run(`touch ${name}`);
  try {
    return await work();
  } finally {
    await f.run(`rm ${name}`);
  }
}

export default flow('try-finally', async (f) => {
  const seen: string[] = [];
  try {
    await withFile(f, 'outer.lock', () =>
      withFile(f, 'inner.lock', async () => {
        seen.push((await f.run('ls *.lock')).trim().split('\n').join('+'));
        const check = await f.run('exit 7', { onNonZero: 'record' });
        if (!check.ok) throw new Error(`status ${check.exitCode}`);
      }),
    );
  } catch (error) {
    seen.push((error as Error).message);
  }
  seen.push((await f.run('ls *.lock 2>/dev/null | wc -l')).trim());
  f.done('success', { detail: seen.join(' ') });
});
