import type { JsonValue } from '../ports/json.js';
import type { StepFailure, StepKind } from '../journal/port.js';
import type { Spend } from './spend.js';
import type { RunReport } from './report.js';

/** What happens in a run, as it happens. Every text is redacted. `at` is milliseconds since the epoch. */
export type RunEvent = { readonly runId: string; readonly at: number } & (
  | { readonly type: 'run.started'; readonly flowName: string; readonly cwd: string; readonly resumed: boolean }
  /** History is used up: what follows happens for real. `steps` outcomes were handed back. */
  | { readonly type: 'run.replayed'; readonly steps: number }
  | { readonly type: 'step.started'; readonly stepId: string; readonly kind: StepKind; readonly label?: string; readonly title: string; readonly attempt: number; readonly phase?: string }
  | { readonly type: 'step.output'; readonly stepId: string; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'step.progress'; readonly stepId: string; readonly spend: Spend }
  /** A normalized event of a coding agent. */
  | { readonly type: 'step.agent'; readonly stepId: string; readonly event: AgentEvent }
  | { readonly type: 'step.retrying'; readonly stepId: string; readonly attempt: number; readonly delayMs: number; readonly error: StepFailure }
  | { readonly type: 'step.completed'; readonly stepId: string; readonly kind: StepKind; readonly label?: string; readonly ok: boolean; readonly durationMs: number; readonly spend?: Spend; readonly error?: StepFailure; readonly exitCode?: number }
  | { readonly type: 'wait.opened'; readonly stepId: string; readonly wait: 'human' | 'timer' | 'signal'; readonly question?: string; readonly to?: string; readonly dueAt?: number }
  | { readonly type: 'phase'; readonly name: string }
  | { readonly type: 'warning'; readonly code: string; readonly text: string; readonly stepId?: string }
  | { readonly type: 'run.parked'; readonly report: RunReport }
  | { readonly type: 'run.completed'; readonly report: RunReport }
);

export type AgentEvent =
  | { readonly type: 'session'; readonly sessionId: string }
  /** The model that answers, where the CLI says so. */
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly summary: string; readonly phase: 'start' | 'end'; readonly failed?: boolean }
  | { readonly type: 'file_change'; readonly path: string; readonly change: 'create' | 'modify' | 'delete' }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number; readonly cachedInputTokens?: number; readonly microDollars?: number }
  | { readonly type: 'other'; readonly name: string; readonly detail?: JsonValue };
