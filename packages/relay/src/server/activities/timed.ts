import type { Workshop } from '../workshop.js';

/** Does something and adds the time it took to what the run spent on a resource. */
export async function timed<T>(shop: Workshop, runId: string, resource: 'runner' | 'task' | 'harness', work: () => Promise<T>): Promise<T> {
  const began = shop.clock.monotonic();
  try {
    return await work();
  } finally {
    shop.store.addSpent(runId, resource, shop.clock.monotonic() - began);
  }
}
