import { FlowsError } from '../../errors/flows-error.js';

/** Time as the forges see it, so that tests need not wait. */
export interface Pace {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with `canceled` when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** The longest that one call waits for a forge altogether, in milliseconds. */
  readonly patienceMs: number;
}

/** Steps that open changes may take five minutes. */
const PATIENCE_MS = 150_000;

export const systemPace: Pace = {
  now: Date.now,
  patienceMs: PATIENCE_MS,
  async wait(ms, signal) {
    await new Promise<void>((resolve, reject) => {
      if (signal?.aborted === true) return reject(canceled());
      const stop = (): void => {
        clearTimeout(timer);
        reject(canceled());
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
};

export function canceled(): FlowsError {
  return new FlowsError('canceled', 'Waiting for the forge was given up.', { hint: 'What was sent may be carried out. Look at the change before you repeat it.' });
}
