import { errorFields } from '../../host/server-log.js';
import type { ActivityObserver } from '../../workflow/interpreter/activities.js';
import type { Workshop } from '../workshop.js';

/** What no retry mends until somebody does something. */
const NEEDS_PERSON: ReadonlySet<string> = new Set(['conflict', 'auth', 'permission', 'missing']);

/** Shows on the run what is being tried again, and why. A conflict needs a person, so it shows as blocked until it is gone. */
export function createObserver(shop: Workshop): ActivityObserver {
  const { store, clock, log } = shop;
  return {
    failed({ runId, activity, kind, text, hint, attempt, delayMs }) {
      log.warn('activity failed', { runId, activity, kind, attempt, text });
      try {
        const at = clock.now();
        const attention = NEEDS_PERSON.has(kind) ? (hint ?? text) : null;
        const before = store.run(runId);
        store.together(() => {
          store.countRetry(runId);
          store.updateRun(runId, {
            lastError: text, retry: { attempt, lastError: text, nextRetryAt: at + delayMs }, attention,
            ...(kind === 'conflict' ? { state: 'blocked' as const } : {}), at,
          });
          if (before?.lastError !== text) store.log(runId, { at, node: before?.node ?? null, visit: before?.visit ?? null, text: `${activity} failed and is tried again: ${text}` });
        });
      } catch (error) {
        // The next try tells it again; a run must not end because it could not be shown.
        log.warn('a failure could not be written down', { runId, activity, ...errorFields(error) });
      }
    },
    succeeded({ runId, attempt }) {
      if (attempt === 1) return;
      const run = store.run(runId);
      if (run?.retry === null || run?.retry === undefined) return;
      store.updateRun(runId, { lastError: null, retry: null, attention: null, ...(run.state === 'blocked' ? { state: 'running' as const } : {}), at: clock.now() });
    },
  };
}
