import type { HostContext, JsonValue } from '@relayflows/sdk';
import type { Step } from '@relayflows/surface';
import { backoffMs } from '../../backoff.js';
import type { ActivityObserver, RunRef } from './activities.js';

export interface Walker {
  readonly f: HostContext;
  readonly runId: string;
  readonly observer: ActivityObserver;
}

/** Has something done, again and again until it succeeds or the run is canceled. */
export function activity<T extends JsonValue>(walker: Walker, name: string, key: string, input: RunRef['input'], act: (run: RunRef) => Promise<T>): Step<T> {
  const { f, runId, observer } = walker;
  let latest = 1;
  return f.external<T>(
    name,
    {
      key,
      retry: (failure, attempt) => {
        const evidence = (failure.evidence ?? {}) as { readonly kind?: string; readonly retryAfterMs?: number };
        const delayMs = Math.max(backoffMs(attempt), evidence.retryAfterMs ?? 0);
        observer.failed({ runId, activity: name, kind: evidence.kind ?? 'transient', text: failure.text, attempt, delayMs, ...(failure.hint === undefined ? {} : { hint: failure.hint }) });
        return { delayMs };
      },
    },
    async (attempt) => {
      latest = attempt.attempt;
      const value = await act({ runId, input, repeated: attempt.resumed, signal: attempt.signal });
      observer.succeeded({ runId, activity: name, attempt: latest });
      return value;
    },
  );
}
