import { AsyncLocalStorage } from 'node:async_hooks';
import type { Machine } from '../run/machine.js';

type Listeners = Parameters<Machine['listen']>[0];

/** What one simulation hears of the process that it shares with others. */
export interface Ears {
  readonly listen: Machine['listen'];
}

const current = new AsyncLocalStorage<{ listeners: Listeners | undefined }>();
const open = new Set<{ readonly listeners: Listeners | undefined }>();

/**
 * Gives a simulation ears: a rejection that its flow leaves unhandled is told to it alone, however many simulations there are beside it. Node calls back in
 * the context of the promise that was rejected.
 */
export async function withEars<T>(body: (ears: Ears) => Promise<T>): Promise<T> {
  const own: { listeners: Listeners | undefined } = { listeners: undefined };
  const ears: Ears = {
    listen(listeners) {
      own.listeners = listeners;
      return () => {
        own.listeners = undefined;
      };
    },
  };
  if (open.size === 0) process.on('unhandledRejection', onUnhandled).on('beforeExit', onNothingLeft);
  open.add(own);
  try {
    return await current.run(own, () => body(ears));
  } finally {
    open.delete(own);
    if (open.size === 0) process.off('unhandledRejection', onUnhandled).off('beforeExit', onNothingLeft);
  }
}

/** Calls what belongs to no simulation: the test that simulates is told of its own rejections as ever. */
export function outside<T>(body: () => T): T {
  return current.exit(body);
}

function onUnhandled(reason: unknown): void {
  const listeners = current.getStore()?.listeners;
  if (listeners !== undefined) listeners.unhandled(reason);
  // What it would have been without us.
  else if (process.listenerCount('unhandledRejection') === 1) throw reason;
}

function onNothingLeft(): void {
  for (const { listeners } of open) listeners?.nothingLeft?.();
}
