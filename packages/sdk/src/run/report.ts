import type { RunStatus } from '../journal/port.js';
import type { AgentResolution } from '../agents/preflight.js';
import type { Spend } from './spend.js';

/** What is known of a run when it rests: it ended, waits, or was stopped. The `--json` document of the command line is made from it. */
export interface RunReport {
  /** True for `success` and `declined`. */
  readonly ok: boolean;
  readonly runId: string;
  readonly rootRunId: string;
  readonly flowName: string;
  readonly status: RunStatus;
  /** A flow completion reason. `needs_human` also for an open question; absent while running or sleeping. */
  readonly completionReason?: string;
  readonly completionDetail?: string;
  readonly completedSteps: number;
  readonly parkedStep?: string;
  readonly parkCause?: 'needs_human' | 'worker_unavailable';
  readonly humanWait?: HumanWait;
  /** Every open question. */
  readonly humanWaits: readonly HumanWait[];
  /** When a sleeping run goes on, milliseconds since the epoch. */
  readonly wakeAt?: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The coding-agent CLIs that the flow names, as found when this process began the run. */
  readonly resolutions: readonly AgentResolution[];
  readonly spend: Spend;
  readonly dollarsUnmetered?: true;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Where the time and the money went, in the order of creation. */
  readonly steps: readonly StepSummary[];
}

export interface HumanWait {
  /** `human-<n>`. */
  readonly waitId: string;
  readonly question: string;
  readonly to: string;
}

export interface StepSummary {
  readonly stepId: string;
  readonly kind: string;
  readonly label?: string;
  readonly title: string;
  readonly state: 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled';
  readonly attempt: number;
  readonly durationMs?: number;
  readonly spend?: Spend;
}

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly stepId?: string;
  readonly stepType?: string;
  readonly completionReason?: string;
  readonly attempt?: number;
  readonly maxIterations?: number;
  readonly transportRetries?: number;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly errorCode?: string;
  readonly stdoutTail?: string;
  readonly stderrTail?: string;
  readonly detail?: string;
  readonly transcriptPath?: string;
  /** When the limit that was reached resets, in ISO 8601. */
  readonly resetsAt?: string;
  /** What an agent changed against its permissions, where what it had written is kept, and what could not be put back. */
  readonly forbidden?: readonly string[];
  readonly keptIn?: readonly string[];
  readonly left?: readonly string[];
  readonly journalPath?: string;
}

