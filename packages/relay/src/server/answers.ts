/** What the server answers about runs and workflows: plain JSON with fixed names, also what `--json` prints. Times are milliseconds since the epoch. */

/** There is no `failed`: a run is tried for ever, or a person cancels it. */
export type RunState = 'starting' | 'running' | 'waiting' | 'blocked' | 'completed' | 'canceling' | 'canceled';

/**
 * The same, told apart by who is needed:
 * `starting` and `running` the server itself is doing something; `queued` the agent waits until another has ended; `agent` an agent is at work; `person` a report waits for
 * `run approve` or `run reject`; `retrying` a call of another program or service failed and is made again, or an agent pauses until it may go on; `blocked` nothing moves until
 * a person does what `attention` says; `completed`, `canceling` and `canceled` as the state.
 */
export type RunPhase = Exclude<RunState, 'waiting'> | 'queued' | 'agent' | 'person' | 'retrying';
export type StepStatus = 'pending' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'blocked' | 'canceled';

export interface RetryView {
  readonly attempt: number;
  readonly lastError: string;
  readonly nextRetryAt: number;
}

export interface RunRow {
  /** The attempt's id, which is the id of the run in the journal. */
  readonly id: string;
  readonly logicalRunId: string;
  /** From 1. */
  readonly attempt: number;
  readonly repo: string;
  readonly workflow: string;
  readonly ticket: { readonly id: string; readonly key: string; readonly title: string };
  readonly state: RunState;
  readonly phase: RunPhase;
  readonly currentNode: string | null;
  readonly currentNodeVisitId: string | null;
  readonly lastError: string | null;
  readonly retry: RetryView | null;
  /** What a person must do next, as a sentence, where a person must. */
  readonly attention: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

export interface RunDetail extends RunRow {
  readonly conditions: {
    readonly nodeRunning: boolean;
    readonly waiting: boolean;
    readonly retryScheduled: boolean;
    readonly completed: boolean;
    readonly failed: boolean;
    readonly canceled: boolean;
  };
  readonly progress: { readonly completed: number; readonly total: number; readonly pending: number };
  /** Milliseconds spent, by what took them. */
  readonly resourcesDuration: { readonly known: boolean; readonly runner: number; readonly taskSystem: number; readonly harness: number; readonly other: number };
  /** The path walked, then the nodes that can come next. */
  readonly steps: readonly StepView[];
  /** A report of a `hitl` node that waits for `run approve` or `run reject`. */
  readonly proposal: { readonly node: string; readonly reportId: string; readonly text: string; readonly at: number } | null;
  readonly workspace: string | null;
}

export interface StepView {
  readonly runId: string;
  /** From 1; pending ones have none. */
  readonly sequence: number | null;
  readonly node: string;
  readonly nodeVisitId: string | null;
  readonly nodeType: 'lifecycle' | 'agent' | 'hitl';
  readonly parentSequence: number | null;
  /** How often the node was visited before on this path. */
  readonly depth: number;
  readonly status: StepStatus;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly duration: number | null;
  /** The report's words: what was completed, or what was wrong. */
  readonly message: string | null;
  /** Where it went from here. */
  readonly route: string | null;
  /** How often something had to be tried again in this visit. */
  readonly retries: number;
  /** Milliseconds it waited for a report or a person. */
  readonly waited: number | null;
  readonly runtime: { readonly terminal: string | null; readonly session: string | null } | null;
}

export type WorkflowHealth = 'healthy' | 'outdated' | 'unverified' | 'blocked';

export interface WorkflowSummary {
  readonly name: string;
  readonly repositories: readonly string[];
  readonly nodeCount: number;
  readonly activeRuns: number;
  readonly latestRun: RunRow | null;
  readonly health: WorkflowHealth;
  /** Why it is not healthy, and the command that repairs it. */
  readonly reason: string | null;
  readonly repair: string | null;
}

export interface WorkflowDetail extends WorkflowSummary {
  /** The submitted bytes. */
  readonly yaml: string;
  readonly valid: boolean;
  readonly recentRuns: readonly RunRow[];
}

export interface RepoView {
  readonly name: string;
  readonly path: string;
  readonly taskConfig: Readonly<Record<string, unknown>>;
  /** Why tickets of this repository are not polled at the moment. */
  readonly problem: string | null;
  /** What keeps single tickets from being worked on until a person puts it right. */
  readonly ticketProblems: readonly { readonly where: string; readonly text: string; readonly hint: string | null }[];
  readonly workflows: readonly string[];
  readonly activeRuns: number;
}
