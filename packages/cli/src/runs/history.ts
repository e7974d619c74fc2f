import type { JsonValue, StepRecord } from '@relayflows/sdk';

/** A moment in a run: what the body had received, what was still open, and the step that arrived. */
export interface Moment {
  readonly step: StepRecord;
  /** In the order in which the body received them, without `step`. */
  readonly before: readonly StepRecord[];
  /** Created by then, and not delivered. In the order of creation. */
  readonly open: readonly StepRecord[];
}

/** Steps whose outcome reached the body, in that order. */
export function delivered(steps: readonly StepRecord[]): StepRecord[] {
  return steps.filter(({ position }) => position !== undefined).sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
}

/** Steps without a delivered outcome, in the order of creation. */
export function undelivered(steps: readonly StepRecord[]): StepRecord[] {
  return steps.filter(({ position }) => position === undefined).sort((a, b) => a.seq - b.seq);
}

/** The state of a run when a step was delivered; for a step that never was, the state at the end. */
export function momentOf(steps: readonly StepRecord[], step: StepRecord): Moment {
  const limit = step.position ?? Number.POSITIVE_INFINITY;
  const created = step.created ?? Number.POSITIVE_INFINITY;
  return {
    step,
    before: delivered(steps).filter(({ position }) => (position ?? 0) < limit),
    open: steps.filter(({ seq, position, stepId }) => stepId !== step.stepId && seq <= created && (position ?? Number.POSITIVE_INFINITY) > limit).sort((a, b) => a.seq - b.seq),
  };
}

/** What the body saw: a value, or the failure it was rejected with. */
export type Seen = { readonly value: JsonValue | null } | { readonly error: { readonly code: string; readonly text: string } };

export function seen({ outcome, gate }: StepRecord): Seen | undefined {
  if (outcome === undefined) return undefined;
  if (!outcome.ok) return { error: { code: outcome.error.code, text: outcome.error.text } };
  if (gate?.passed === false) return { error: { code: gate.error?.code ?? 'gate_failed', text: gate.error?.text ?? 'The gate did not pass.' } };
  return { value: outcome.value ?? null };
}
