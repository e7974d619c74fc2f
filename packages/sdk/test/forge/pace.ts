import type { Pace } from '../../src/forge/http/pace.js';
import { canceled } from '../../src/forge/http/pace.js';

/** Time that passes only by waiting, at once. */
export function quickPace(patienceMs = 150_000): Pace & { readonly waits: number[] } {
  let now = Date.UTC(2026, 10, 30);
  const waits: number[] = [];
  return {
    waits,
    patienceMs,
    now: () => now,
    async wait(ms, signal) {
      if (signal?.aborted === true) throw canceled();
      waits.push(ms);
      now += ms;
    },
  };
}
