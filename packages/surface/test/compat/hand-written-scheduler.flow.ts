/** A dependency graph run by a scheduler of the author's: a map of promises, a semaphore with a queue, results collected as they come. */
import { flow } from '@relayflows/surface';

type Context = Parameters<Parameters<typeof flow<unknown>>[2]>[0];

interface Task {
  readonly name: string;
  readonly needs: readonly string[];
  readonly command: string;
}

const TASKS: readonly Task[] = [
  { name: 'fetch', needs: [], command: 'printf fetch >> order.log; echo 1' },
  { name: 'lint', needs: ['fetch'], command: 'sleep 0.05; printf " lint" >> order.log; echo 2' },
  { name: 'compile', needs: ['fetch'], command: 'printf " compile" >> order.log; echo 3' },
  { name: 'unit', needs: ['compile'], command: 'echo 4' },
  { name: 'docs', needs: ['compile', 'lint'], command: 'echo 5' },
  { name: 'package', needs: ['unit', 'docs', 'lint'], command: 'printf " package" >> order.log; echo 6' },
];

class Semaphore {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(size: number) {
    this.free = size;
  }

  async with<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}

async function runGraph(f: Context, tasks: readonly Task[], width: number): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  const started = new Map<string, Promise<void>>();
  const slots = new Semaphore(width);
  const byName = new Map(tasks.map((task) => [task.name, task]));

  const start = (name: string): Promise<void> => {
    const known = started.get(name);
    if (known !== undefined) return known;
    const task = byName.get(name);
    if (task === undefined) throw new Error(`no task ${name}`);
    const promise = (async () => {
      await Promise.all(task.needs.map(start));
      const output = await slots.with(async () => f.run(task.command));
      results.set(name, Number(output.trim()));
    })();
    started.set(name, promise);
    return promise;
  };

  await Promise.all(tasks.map((task) => start(task.name)));
  return results;
}

export default flow('hand-written-scheduler', async (f) => {
  const results = await runGraph(f, TASKS, 2);
  const order = await f.run('cat order.log');
  const inOrder = TASKS.map(({ name }) => `${name}=${results.get(name)}`).join(' ');
  f.done('success', { detail: `${inOrder} | ${order.startsWith('fetch ') && order.endsWith(' package') ? 'ordered' : order}` });
});
