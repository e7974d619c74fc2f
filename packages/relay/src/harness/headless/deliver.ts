import { backoffMs } from '../../backoff.js';
import type { Clock } from './clock.js';
import type { HeadlessVisit, LastEvent } from './visit.js';

/** Tells the last event of a visit until it is taken: what an agent has worked on for hours must not be lost because a database was busy. Never rejects. */
export async function deliver(event: LastEvent, { visit, signal, clock }: { readonly visit: HeadlessVisit; readonly signal: AbortSignal; readonly clock: Clock }): Promise<void> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      await visit.onEvent(event);
      return;
    } catch {
      await clock.until(clock.now() + backoffMs(tries), signal);
    }
  }
}
