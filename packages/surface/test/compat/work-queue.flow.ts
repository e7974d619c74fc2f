/** Workers that take items from a shared queue, and put more into it, until it is empty. */
import { flow, type Ctx } from '@relayflows/surface';

class Queue<T> {
  private readonly items: T[] = [];
  private readonly takers: ((item: T | undefined) => void)[] = [];
  private busy = 0;

  push(item: T): void {
    const taker = this.takers.shift();
    if (taker === undefined) this.items.push(item);
    else {
      this.busy += 1;
      taker(item);
    }
  }

  async take(): Promise<T | undefined> {
    const item = this.items.shift();
    if (item !== undefined) {
      this.busy += 1;
      return item;
    }
    if (this.busy === 0) return undefined;
    return new Promise((resolve) => this.takers.push(resolve));
  }

  done(): void {
    this.busy -= 1;
    if (this.busy === 0 && this.items.length === 0) for (const taker of this.takers.splice(0)) taker(undefined);
  }
}

async function worker(f: Ctx, queue: Queue<number>, seen: Set<number>): Promise<number> {
  let handled = 0;
  for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
    const next = await f.run(`echo $((${item} * 2)) $((${item} * 2 + 1))`);
    for (const child of next.trim().split(' ').map(Number)) if (child <= 15) queue.push(child);
    seen.add(item);
    handled += 1;
    queue.done();
  }
  return handled;
}

export default flow('work-queue', async (f) => {
  const queue = new Queue<number>();
  const seen = new Set<number>();
  queue.push(1);
  const handled = await Promise.all([worker(f, queue, seen), worker(f, queue, seen), worker(f, queue, seen)]);
  f.done('success', { detail: `${handled.reduce((sum, count) => sum + count, 0)} items: ${[...seen].sort((a, b) => a - b).join(',')}` });
});
