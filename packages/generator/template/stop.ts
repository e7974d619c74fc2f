import type { Ctx } from '@relayflows/surface';

/** Ends the run without a change request, and says why where the person who reads the log looks. */
export function stop(f: Ctx, reason: string): void {
  console.error(`relayflow: ${reason}`);
  f.done('needs_human', { detail: reason });
}
