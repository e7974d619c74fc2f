/** How a flow ends. `done` accepts `success`, `needs_human`, `step_failed` and `declined`; the other two are stated by the runtime only. */
export type FlowCompletionReason = 'success' | 'step_failed' | 'canceled' | 'budget_exceeded' | 'needs_human' | 'declined';

/** How the journal closes a run. */
export type RunCompletionReason = 'success' | 'step_failed' | 'canceled' | 'budget_exceeded';

/** How one attempt of a step ends. */
export type CompletionReason =
  | 'success'
  | 'verification_failed'
  | 'retries_exhausted'
  | 'lease_expired'
  | 'crashed'
  | 'timeout'
  | 'worker_error'
  | 'budget_exceeded'
  | 'canceled';

export const FLOW_COMPLETION_REASONS: readonly FlowCompletionReason[] = Object.freeze([
  'success', 'step_failed', 'canceled', 'budget_exceeded', 'needs_human', 'declined',
] as const);

export const RUN_COMPLETION_REASONS: readonly RunCompletionReason[] = Object.freeze([
  'success', 'step_failed', 'canceled', 'budget_exceeded',
] as const);

export const COMPLETION_REASONS: readonly CompletionReason[] = Object.freeze([
  'success', 'verification_failed', 'retries_exhausted', 'lease_expired', 'crashed', 'timeout', 'worker_error', 'budget_exceeded', 'canceled',
] as const);

/** The longest `detail` of `done`, in Unicode code points; a longer one is cut and ends with `… (truncated)`. */
export const COMPLETION_DETAIL_MAX_CODE_POINTS = 2_000;
