import type { WorkflowDefinition } from '../workflow/definition.js';
import type { RetryView, RunState, StepStatus } from '../server/answers.js';

/** A run as the projection holds it. */
export interface StoredRun {
  readonly id: string;
  readonly logical: string;
  readonly attempt: number;
  readonly repo: string;
  readonly workflow: string;
  readonly ticket: { readonly id: string; readonly key: string; readonly title: string };
  readonly state: RunState;
  readonly node: string | null;
  readonly visit: string | null;
  readonly lastError: string | null;
  readonly retry: RetryView | null;
  readonly attention: string | null;
  /** Why it was canceled. */
  readonly reason: string | null;
  readonly mailboxes: Readonly<Record<string, string>> | null;
  readonly workspace: string | null;
  readonly spent: { readonly runner: number; readonly task: number; readonly harness: number };
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

export interface StoredStep {
  readonly sequence: number;
  readonly node: string;
  readonly visit: string | null;
  readonly type: 'lifecycle' | 'agent' | 'hitl';
  readonly parent: number | null;
  readonly depth: number;
  readonly status: StepStatus;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly message: string | null;
  readonly route: string | null;
  readonly retries: number;
  readonly waitingSince: number | null;
  readonly waited: number | null;
  readonly terminal: string | null;
  readonly session: string | null;
}

export interface StoredRuntime {
  readonly node: string;
  readonly visit: string;
  /** Of a terminal. */
  readonly handle: string | null;
  /** Of a headless process, as JSON. */
  readonly process: string | null;
  readonly launchedAt: number;
}

export interface StoredSession {
  readonly node: string;
  readonly session: string;
  readonly visit: string;
}

export interface StoredProposal {
  readonly node: string;
  readonly visit: string;
  readonly reportId: string;
  /** JSON. */
  readonly report: string;
  readonly text: string;
  readonly at: number;
}

export interface NewStoredRun {
  readonly id: string;
  readonly logical: string;
  readonly attempt: number;
  readonly repo: string;
  readonly workflow: WorkflowDefinition;
  readonly ticket: { readonly id: string; readonly key: string; readonly title: string };
  readonly at: number;
}

type Row = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));
const json = <T>(value: unknown): T | null => (typeof value === 'string' ? (JSON.parse(value) as T) : null);

export function runOf(row: Row): StoredRun {
  return {
    id: String(row['id']),
    logical: String(row['logical']),
    attempt: Number(row['attempt']),
    repo: String(row['repo']),
    workflow: String(row['workflow']),
    ticket: { id: String(row['ticket_id']), key: String(row['ticket_key']), title: String(row['ticket_title']) },
    state: String(row['state']) as RunState,
    node: text(row['node']),
    visit: text(row['visit']),
    lastError: text(row['last_error']),
    retry: json<RetryView>(row['retry']),
    attention: text(row['attention']),
    reason: text(row['reason']),
    mailboxes: json<Record<string, string>>(row['mailboxes']),
    workspace: text(row['workspace']),
    spent: { runner: Number(row['runner_ms']), task: Number(row['task_ms']), harness: Number(row['harness_ms']) },
    createdAt: Number(row['created_at']),
    startedAt: number(row['started_at']),
    updatedAt: Number(row['updated_at']),
    finishedAt: number(row['finished_at']),
  };
}

export function stepOf(row: Row): StoredStep {
  return {
    sequence: Number(row['sequence']),
    node: String(row['node']),
    visit: text(row['visit']),
    type: String(row['type']) as StoredStep['type'],
    parent: number(row['parent']),
    depth: Number(row['depth']),
    status: String(row['status']) as StepStatus,
    startedAt: Number(row['started_at']),
    finishedAt: number(row['finished_at']),
    message: text(row['message']),
    route: text(row['route']),
    retries: Number(row['retries']),
    waitingSince: number(row['waiting_since']),
    waited: number(row['waited']),
    terminal: text(row['terminal']),
    session: text(row['session']),
  };
}

export function runtimeOf(row: Row): StoredRuntime {
  return { node: String(row['node']), visit: String(row['visit']), handle: text(row['handle']), process: text(row['process']), launchedAt: Number(row['launched_at']) };
}

export function proposalOf(row: Row): StoredProposal {
  return { node: String(row['node']), visit: String(row['visit']), reportId: String(row['report_id']), report: String(row['report']), text: String(row['text']), at: Number(row['at']) };
}
