import type { RunEvent } from '@relayflows/sdk';
import { absorb, emptyView, type ViewState } from '../../src/terminal/view-state.js';

type Plain<E> = E extends RunEvent ? Omit<E, 'runId' | 'at'> : never;

export const START = 1_000_000;

/** An event of a run that began at {@link START}, `after` milliseconds later. */
export function event(plain: Plain<RunEvent>, after = 0): RunEvent {
  return { runId: '01run', at: START + after, ...plain };
}

export function viewOf(...events: readonly RunEvent[]): ViewState {
  const view = emptyView();
  for (const each of events) absorb(view, each);
  return view;
}

export const started = (after = 0): RunEvent => event({ type: 'run.started', flowName: 'ticket', cwd: '/w', resumed: false }, after);

export const step = (stepId: string, title: string, more: Partial<Extract<RunEvent, { type: 'step.started' }>> = {}): RunEvent =>
  event({ type: 'step.started', stepId, kind: 'run', title, attempt: 1, ...more });

export const output = (stepId: string, text: string, stream: 'stdout' | 'stderr' = 'stdout'): RunEvent => event({ type: 'step.output', stepId, stream, text }, 1);

export const completed = (stepId: string, more: Partial<Extract<RunEvent, { type: 'step.completed' }>> = {}): Extract<RunEvent, { type: 'step.completed' }> =>
  event({ type: 'step.completed', stepId, kind: 'run', ok: true, durationMs: 1_500, ...more }, 1_500) as Extract<RunEvent, { type: 'step.completed' }>;
