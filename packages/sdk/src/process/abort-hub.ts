const hubs = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal that is not aborted yet is. Hundreds of processes may share the signal of one run: it gets one listener in all, which
 * keeps Node from warning about a leak.
 */
export function listen(signal: AbortSignal, callback: () => void): void {
  let callbacks = hubs.get(signal);
  if (callbacks === undefined) {
    const all = new Set<() => void>();
    callbacks = all;
    hubs.set(signal, all);
    signal.addEventListener('abort', () => [...all].forEach((each) => each()), { once: true });
  }
  callbacks.add(callback);
}

export function unlisten(signal: AbortSignal, callback: () => void): void {
  hubs.get(signal)?.delete(callback);
}
