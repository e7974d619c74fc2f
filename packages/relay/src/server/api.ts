import type { RegisterMessage, ReportMessage } from 'relay-flow-plugin/report';
import type { RunnerRepo } from '../runner/port.js';
import type { RegistrationField } from '../task/port.js';
import type { TaskConfigLayer } from '../task/task-config.js';
import type { RepoView, RunDetail, RunRow, WorkflowDetail, WorkflowSummary } from './answers.js';

/**
 * What can be asked of a server through its socket, for both sides: HTTP whose bodies are JSON, except for the YAML of a workflow. Answers are
 * `{ok: true, data}` or `{ok: false, error}` (see `wire-error.ts`). Everything is local, so nothing is versioned: the command and the server are one package.
 */
export interface Api {
  /** Answered as soon as the socket exists, which is the last thing that starts. */
  readonly health: Endpoint<{ answer: Health }>;
  /** Answers before it stops. */
  readonly stop: Endpoint<{ answer: { readonly pid: number } }>;

  readonly listWorkflows: Endpoint<{ answer: readonly WorkflowSummary[] }>;
  /** The body is the bytes of the file. Throws `workflow_invalid`, `workflow_busy`, `repo_unknown`, and what the adapters refuse. */
  readonly submitWorkflow: Endpoint<{ body: string; answer: SubmittedWorkflow }>;
  /** Throws `workflow_unknown`. */
  readonly getWorkflow: Endpoint<{ params: { readonly name: string }; answer: WorkflowDetail }>;
  /** Throws `workflow_unknown`, `workflow_busy`. */
  readonly removeWorkflow: Endpoint<{ params: { readonly name: string }; answer: { readonly name: string } }>;

  readonly listRepos: Endpoint<{ answer: readonly RepoView[] }>;
  /** `values` are answers to the fields of the task system, which makes `taskConfig` from them; `taskConfig` says it directly, and wins. Throws `repo_invalid`, and what the adapters refuse. */
  readonly registerRepo: Endpoint<{ body: RepoRegistration; answer: RepoView }>;
  /** Throws `repo_unknown`. */
  readonly getRepo: Endpoint<{ params: { readonly name: string }; answer: RepoView }>;
  /** Throws `repo_unknown`, `repo_busy`. */
  readonly removeRepo: Endpoint<{ params: { readonly name: string }; answer: { readonly name: string } }>;
  /** Repositories that the runner knows of and that are not registered. */
  readonly discoverRepos: Endpoint<{ answer: readonly RunnerRepo[] }>;
  /** Makes a repository known to the runner. */
  readonly ensureRepo: Endpoint<{ body: RunnerRepo; answer: RunnerRepo }>;
  /** What the task system must be told about a repository, before anything was answered. */
  readonly firstTaskFields: Endpoint<{ query: { readonly name: string; readonly path: string }; answer: readonly RegistrationField[] }>;
  /** The same, after some answers; empty when nothing is missing. */
  readonly nextTaskFields: Endpoint<{ body: RunnerRepo & { readonly values: Readonly<Record<string, string>> }; answer: readonly RegistrationField[] }>;

  /** Throws `report_invalid`, which is final. Stale reports are acknowledged as duplicates. */
  readonly deliverReport: Endpoint<{ body: ReportMessage; answer: { readonly accepted: boolean; readonly duplicate: boolean } }>;
  readonly registerSession: Endpoint<{ body: RegisterMessage; answer: { readonly accepted: boolean } }>;

  /** Newest first. `active`: only those that have not ended. */
  readonly listRuns: Endpoint<{ query: RunFilter; answer: readonly RunRow[] }>;
  /** The latest attempt of a ticket. Throws `run_unknown`; `run_conflict` when tickets of several repositories have this key and none was named, as in all calls below. */
  readonly getRun: Endpoint<OfTicket & { answer: RunDetail }>;
  /** What happened in the latest attempt, oldest first, after a cursor. `wait`: for so many milliseconds at most, until there is something. */
  readonly runLogs: Endpoint<OfTicket & { query: RepoOfTicket & { readonly after?: string; readonly wait?: string }; answer: RunLogs }>;
  readonly cancelRun: Endpoint<OfTicket & { body: { readonly reason?: string }; answer: RunRow }>;
  /** Throws `run_conflict` unless the latest attempt was canceled; one that is active is answered as it is. */
  readonly restartRun: Endpoint<OfTicket & { answer: RunRow }>;
  /** Gives a claim without an owner to this server, and begins the run; no run where the ticket was canceled. Throws `run_conflict` for any other ticket. */
  readonly claimTicket: Endpoint<OfTicket & { answer: ClaimedTicket }>;
  /** Throws `run_conflict` when no report waits, or another than `reportId`: what was read is what is approved. */
  readonly approveRun: Endpoint<OfTicket & { body: { readonly reportId?: string }; answer: RunRow }>;
  /** The reason goes to the agent. Throws `run_conflict` when no report waits. */
  readonly rejectRun: Endpoint<OfTicket & { body: { readonly reason?: string; readonly reportId?: string }; answer: RunRow }>;
}

type Method = 'GET' | 'POST' | 'DELETE';

/** Where each call is found. `{…}` in a path is one escaped segment. */
export const ENDPOINTS: { readonly [name in EndpointName]: { readonly method: Method; readonly path: string } } = {
  health: { method: 'GET', path: '/health' },
  stop: { method: 'POST', path: '/stop' },
  listWorkflows: { method: 'GET', path: '/workflows' },
  submitWorkflow: { method: 'POST', path: '/workflows' },
  getWorkflow: { method: 'GET', path: '/workflows/{name}' },
  removeWorkflow: { method: 'DELETE', path: '/workflows/{name}' },
  // Before `/repos/{name}`, which they would be taken for.
  discoverRepos: { method: 'GET', path: '/repos/discover' },
  ensureRepo: { method: 'POST', path: '/repos/ensure' },
  firstTaskFields: { method: 'GET', path: '/repos/task-fields' },
  nextTaskFields: { method: 'POST', path: '/repos/task-fields' },
  listRepos: { method: 'GET', path: '/repos' },
  registerRepo: { method: 'POST', path: '/repos' },
  getRepo: { method: 'GET', path: '/repos/{name}' },
  removeRepo: { method: 'DELETE', path: '/repos/{name}' },
  deliverReport: { method: 'POST', path: '/reports' },
  registerSession: { method: 'POST', path: '/runtime/session' },
  listRuns: { method: 'GET', path: '/runs' },
  getRun: { method: 'GET', path: '/runs/by-ticket/{key}' },
  runLogs: { method: 'GET', path: '/runs/by-ticket/{key}/logs' },
  cancelRun: { method: 'POST', path: '/runs/by-ticket/{key}/cancel' },
  restartRun: { method: 'POST', path: '/runs/by-ticket/{key}/restart' },
  claimTicket: { method: 'POST', path: '/runs/by-ticket/{key}/claim' },
  approveRun: { method: 'POST', path: '/runs/by-ticket/{key}/approve' },
  rejectRun: { method: 'POST', path: '/runs/by-ticket/{key}/reject' },
};

/** Names that no repository can have, since its address would be another call's. */
export const RESERVED_REPO_NAMES: readonly string[] = ['discover', 'ensure', 'task-fields'];

export type EndpointName = keyof Api;
export type ParamsOf<Name extends EndpointName> = Api[Name]['params'];
export type QueryOf<Name extends EndpointName> = Api[Name]['query'];
export type BodyOf<Name extends EndpointName> = Api[Name]['body'];
export type AnswerOf<Name extends EndpointName> = Api[Name]['answer'];

/** A server is one of these: what it answers to every call. Throws a `RelayError` to refuse. `params` and `query` were checked to be texts, `body` was parsed and not looked at. */
export type Handlers = {
  readonly [Name in EndpointName]: (request: {
    readonly params: ParamsOf<Name>;
    readonly query: Readonly<Record<string, string>>;
    readonly body: unknown;
    /** Aborted when the caller has gone. */
    readonly signal: AbortSignal;
  }) => Promise<AnswerOf<Name>>;
};

interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
  readonly answer: unknown;
}

interface Endpoint<Given extends Parts> {
  readonly params: Given extends { readonly params: infer Params } ? Params : Nothing;
  readonly query: Given extends { readonly query: infer Query } ? Query : Nothing;
  readonly body: Given extends { readonly body: infer Body } ? Body : undefined;
  readonly answer: Given['answer'];
}

type Nothing = Readonly<Record<never, never>>;

interface RepoOfTicket {
  /** Needed only where two repositories have tickets of one key. */
  readonly repo?: string;
}

interface OfTicket {
  readonly params: { readonly key: string };
  readonly query: RepoOfTicket;
}

export interface Health {
  readonly pid: number;
  readonly version: string;
  /** Absolute path of its home. */
  readonly home: string;
  readonly startedAt: number;
  readonly repos: number;
  readonly workflows: number;
  readonly activeRuns: number;
  /** Sentences on what does not work: a repository that cannot be polled, a workflow that is not routed. */
  readonly problems: readonly string[];
}

export interface SubmittedWorkflow {
  readonly workflow: WorkflowSummary;
  /** Sentences on what is allowed and probably not meant. */
  readonly warnings: readonly string[];
}

export interface RepoRegistration {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly taskConfig?: TaskConfigLayer;
}

export interface RunFilter {
  readonly repo?: string;
  readonly workflow?: string;
  readonly ticket?: string;
  readonly active?: 'true';
}

export interface ClaimedTicket {
  readonly ticket: string;
  readonly repo: string;
  readonly workflow: string;
  readonly run: RunRow | null;
}

export interface RunLogs {
  /** The attempt. A follower to whom another attempt is shown begins anew. */
  readonly runId: string;
  readonly entries: readonly RunLogEntry[];
  /** For `after` of the next call. */
  readonly next: string;
  /** Nothing more will come. */
  readonly ended: boolean;
}

export interface RunLogEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly node: string | null;
  readonly nodeVisitId: string | null;
  /** `engine`: what the run did, as a sentence. `stdout`, `stderr`: what a headless agent wrote. */
  readonly stream: 'engine' | 'stdout' | 'stderr';
  /** Lines, without the last line feed. Not cleaned. */
  readonly text: string;
}
