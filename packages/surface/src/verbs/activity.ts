import type { Step } from '../step.js';

/** Limits of a subscription; both are required. Milliseconds, or `<n>` followed by `ms`, `s`, `m`, `h` or `d`. */
export interface ActivityOptions {
  /** How long `next` waits for an event before it gives `idle`. */
  idle: string | number;
  /** When the subscription ends, counted from its beginning. */
  deadline: string | number;
}

/** A subscription to events. It needs a host that routes events; others answer `unsupported_verb`. */
export interface Activity {
  /** Waits for what happens next. `activity_closed` after {@link Activity.close}. */
  next(): Step<ActivityUpdate>;
  close(): Step<void>;
}

export type ActivityUpdate =
  | { kind: 'events'; events: unknown[]; offset: number }
  | { kind: 'idle' }
  /** `pending` events were not delivered before the deadline. */
  | { kind: 'deadline'; pending: number }
  /** The buffer of 1,000 events or 1 MiB was full; `retained` are left, from offset `from`. */
  | { kind: 'overflow'; retained: number; bytes: number; from: number };
