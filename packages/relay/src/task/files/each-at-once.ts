import { setImmediate as nextTurn } from 'node:timers/promises';
import { RelayError } from '../../errors/relay-error.js';

/** Enough to keep the threads of Node busy. */
const AT_ONCE = 16;

/** Acts on all, a bounded number at once, until the signal says no more. Throws `task_unavailable` then. */
export async function eachAtOnce<T>(items: readonly T[], signal: AbortSignal, act: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: Math.min(AT_ONCE, items.length) }, async () => {
    while (next < items.length) {
      giveUp(signal);
      const item = items[next];
      next += 1;
      // A signal is only heard between turns.
      if (next % 256 === 0) await nextTurn();
      if (item !== undefined) await act(item);
    }
  });
  await Promise.all(workers);
}

export function giveUp(signal: AbortSignal): void {
  if (signal.aborted) throw new RelayError('task_unavailable', 'Reading the folder of tickets was given up.', { hint: 'It is tried again.', cause: signal.reason });
}
