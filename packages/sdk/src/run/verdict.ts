import type { Completion, FinishedStatus, StepFailure } from '../journal/port.js';

/** The first thing that went wrong in a run, with the step it went wrong at. */
export interface Cause {
  readonly failure: StepFailure;
  readonly stepId?: string;
}

export interface BodyEnd {
  readonly canceled: boolean;
  /** The first failed step, lifecycle violation or throw, by time. */
  readonly cause: Cause | undefined;
  /** What `done` was called with, its detail treated already. */
  readonly done: { readonly reason: string; readonly detail?: string; readonly marker: number } | undefined;
  /** Created, never awaited, in the order of creation. */
  readonly unawaited: readonly string[];
}

export interface Verdict {
  readonly status: FinishedStatus;
  readonly completion: Completion;
}

/** The verdict on a run whose body has ended. Pure: cancelation first, then the first cause, then the lifecycle rules, then the author's word. */
export function judge(end: BodyEnd): Verdict {
  const detail = end.done?.detail === undefined ? {} : { detail: end.done.detail };
  const marker = end.done === undefined ? {} : { marker: end.done.marker };
  if (end.canceled) return { status: 'canceled', completion: { reason: 'canceled', ...detail, ...marker } };
  const cause = end.cause ?? lifecycleCause(end);
  if (cause !== undefined) {
    const reason = cause.failure.completionReason === 'budget_exceeded' ? 'budget_exceeded' : 'step_failed';
    return {
      status: 'failed',
      completion: { reason, ...detail, ...marker, error: cause.failure, ...(cause.stepId === undefined ? {} : { stepId: cause.stepId }) },
    };
  }
  const reason = end.done?.reason ?? 'step_failed';
  return { status: reason === 'step_failed' ? 'failed' : 'completed', completion: { reason, ...detail, ...marker } };
}

function lifecycleCause(end: BodyEnd): Cause | undefined {
  if (end.done === undefined) {
    return {
      failure: {
        code: 'missing_completion',
        text: 'The body ended without calling f.done().',
        hint: "End every path of the body with f.done('success') or another verdict.",
      },
    };
  }
  const [first] = end.unawaited;
  if (first === undefined) return undefined;
  const others = end.unawaited.length - 1;
  return {
    stepId: first,
    failure: {
      code: 'unawaited_step',
      text: `${first}${others === 0 ? ' was' : ` and ${others} more ${others === 1 ? 'step' : 'steps'} were`} created and never awaited, so nothing of it ran.`,
      hint: 'Await every step on the path to f.done(), directly or through Promise.all, allSettled, any or race.',
      evidence: { steps: [...end.unawaited] },
    },
  };
}
