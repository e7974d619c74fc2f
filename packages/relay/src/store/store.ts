import type { HostDatabase, HostParameter, HostStatement } from '@relayflows/sdk/journal';
import type { RetryView, RunState, StepStatus } from '../server/views.js';
import type { WorkflowDefinition } from '../workflow/definition.js';
import { proposalOf, runOf, runtimeOf, stepOf, type NewStoredRun, type StoredProposal, type StoredRun, type StoredRuntime, type StoredSession, type StoredStep } from './rows.js';


/** Which runs are meant; all members that are given must fit. */
export interface RunFilter {
  readonly repo?: string;
  readonly workflow?: string;
  readonly ticket?: string;
  /** Only those that have not ended. */
  readonly active?: boolean;
  readonly states?: readonly RunState[];
  readonly limit?: number;
}

/** What the run stands at, as far as it changes. Absent members stay. */
export interface RunUpdate {
  readonly state?: RunState;
  readonly node?: string | null;
  readonly visit?: string | null;
  readonly lastError?: string | null;
  readonly retry?: RetryView | null;
  readonly attention?: string | null;
  readonly reason?: string | null;
  readonly mailboxes?: Readonly<Record<string, string>>;
  readonly workspace?: string;
  readonly startedAt?: number;
  readonly finishedAt?: number | null;
  readonly at: number;
}

const ENDED = "('completed', 'canceled')";

/** The projection: what the server shows, and what it must know at once about runs that are not in memory. Every call is one short transaction, and may be made twice. */
export class RelayStore {
  readonly #database: HostDatabase;
  readonly #statements = new Map<string, HostStatement>();

  constructor(database: HostDatabase) {
    this.#database = database;
  }

  close(): void {
    this.#database.close();
  }

  /** Several changes that are seen together. */
  together<T>(change: () => T): T {
    return this.#database.transaction(change);
  }

  // Runs.

  /** Leaves a run that is there as it is. */
  addRun(run: NewStoredRun): void {
    this.#sql(`INSERT INTO relay_run (id, logical, attempt, repo, workflow, ticket_id, ticket_key, ticket_title, state, definition, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'starting', ?, ?, ?) ON CONFLICT DO NOTHING`)
      .run(run.id, run.logical, run.attempt, run.repo, run.workflow.name, run.ticket.id, run.ticket.key, run.ticket.title, JSON.stringify(run.workflow), run.at, run.at);
  }

  run(id: string): StoredRun | undefined {
    const row = this.#sql('SELECT * FROM relay_run WHERE id = ?').get(id);
    return row === undefined ? undefined : runOf(row);
  }

  /** The definition that a run walks. */
  definition(id: string): WorkflowDefinition | undefined {
    const row = this.#sql('SELECT definition FROM relay_run WHERE id = ?').get(id);
    return row === undefined ? undefined : (JSON.parse(String(row['definition'])) as WorkflowDefinition);
  }

  latestAttempt(logical: string): StoredRun | undefined {
    const row = this.#sql('SELECT * FROM relay_run WHERE logical = ? ORDER BY attempt DESC LIMIT 1').get(logical);
    return row === undefined ? undefined : runOf(row);
  }

  /** The newest first. */
  runs(filter: RunFilter = {}): readonly StoredRun[] {
    const where: string[] = [];
    const values: HostParameter[] = [];
    for (const [column, value] of [['repo', filter.repo], ['workflow', filter.workflow], ['ticket_key', filter.ticket]] as const) {
      if (value === undefined) continue;
      where.push(`${column} = ?`);
      values.push(value);
    }
    if (filter.active === true) where.push(`state NOT IN ${ENDED}`);
    if (filter.states !== undefined) {
      where.push(`state IN (${filter.states.map(() => '?').join(', ')})`);
      values.push(...filter.states);
    }
    const sql = `SELECT * FROM relay_run ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`} ORDER BY created_at DESC, attempt DESC LIMIT ?`;
    return (this.#sql(sql).all(...values, filter.limit ?? 1_000_000)).map(runOf);
  }

  /** For the poller: who has an attempt that has not ended, without reading whole rows. */
  activeAttempts(repo: string): readonly { readonly id: string; readonly logical: string; readonly state: RunState }[] {
    return this.#sql(`SELECT id, logical, state FROM relay_run WHERE repo = ? AND state NOT IN ${ENDED}`).all(repo) as never;
  }

  /** How many runs have not ended: all, or those of a repository or of a workflow. */
  countActive({ repo, workflow }: Pick<RunFilter, 'repo' | 'workflow'>): number {
    const row = this.#sql(`SELECT COUNT(*) AS count FROM relay_run WHERE (?1 IS NULL OR repo = ?1) AND (?2 IS NULL OR workflow = ?2) AND state NOT IN ${ENDED}`).get(repo ?? null, workflow ?? null);
    return Number(row?.['count'] ?? 0);
  }

  updateRun(id: string, update: RunUpdate): void {
    const set: string[] = ['updated_at = ?'];
    const values: HostParameter[] = [update.at];
    const put = (column: string, value: HostParameter | undefined): void => {
      if (value === undefined) return;
      set.push(`${column} = ?`);
      values.push(value);
    };
    put('state', update.state);
    put('node', update.node);
    put('visit', update.visit);
    put('last_error', update.lastError);
    put('retry', update.retry === undefined ? undefined : update.retry === null ? null : JSON.stringify(update.retry));
    put('attention', update.attention);
    put('reason', update.reason);
    put('mailboxes', update.mailboxes === undefined ? undefined : JSON.stringify(update.mailboxes));
    put('workspace', update.workspace);
    put('started_at', update.startedAt);
    put('finished_at', update.finishedAt);
    // What is being canceled, or has ended, is not brought back by a late activity.
    const guard = update.state === undefined || update.state === 'canceled' || update.state === 'canceling' ? '' : " AND state NOT IN ('canceling', 'canceled')";
    this.#sql(`UPDATE relay_run SET ${set.join(', ')} WHERE id = ?${guard}`).run(...values, id);
  }

  /** The first reason wins. Answers whether this call did it. */
  beginCancel(id: string, reason: string, at: number): boolean {
    const { changes } = this.#sql(`UPDATE relay_run SET state = 'canceling', reason = ?, retry = NULL, attention = NULL, updated_at = ? WHERE id = ? AND state NOT IN ('canceling', 'canceled', 'completed')`).run(reason, at, id);
    return Number(changes) > 0;
  }

  addSpent(id: string, resource: 'runner' | 'task' | 'harness', ms: number): void {
    if (ms > 0) this.#sql(`UPDATE relay_run SET ${resource}_ms = ${resource}_ms + ? WHERE id = ?`).run(Math.round(ms), id);
  }

  /** Deletes runs that ended before a time, with all that belongs to them. Answers with their ids. */
  deleteEndedBefore(at: number): readonly string[] {
    return this.together(() => {
      const ids = this.#sql(`SELECT id FROM relay_run WHERE state IN ${ENDED} AND finished_at < ?`).all(at).map((row) => String(row['id']));
      for (const id of ids) {
        for (const table of ['step', 'session', 'runtime', 'report', 'proposal', 'log']) this.#sql(`DELETE FROM relay_${table} WHERE run = ?`).run(id);
        this.#sql('DELETE FROM relay_run WHERE id = ?').run(id);
      }
      return ids;
    });
  }

  // The path.

  enterStep(run: string, step: { readonly sequence: number; readonly node: string; readonly visit: string | null; readonly type: StoredStep['type']; readonly parent: number | null; readonly depth: number; readonly at: number }): void {
    this.#sql(`INSERT INTO relay_step (run, sequence, node, visit, type, parent, depth, status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?) ON CONFLICT DO NOTHING`)
      .run(run, step.sequence, step.node, step.visit, step.type, step.parent, step.depth, step.at);
  }

  updateStep(run: string, sequence: number, update: { readonly status?: StepStatus; readonly message?: string; readonly route?: string; readonly finishedAt?: number; readonly terminal?: string; readonly session?: string }): void {
    const columns = { status: update.status, message: update.message, route: update.route, finished_at: update.finishedAt, terminal: update.terminal, session: update.session };
    const entries = Object.entries(columns).flatMap(([column, value]): [string, HostParameter][] => (value === undefined ? [] : [[column, value]]));
    if (entries.length === 0) return;
    this.#sql(`UPDATE relay_step SET ${entries.map(([column]) => `${column} = ?`).join(', ')} WHERE run = ? AND sequence = ?`).run(...entries.map(([, value]) => value), run, sequence);
  }

  /** A visit waits from now on, or does not any more. */
  waitStep(run: string, sequence: number, waiting: boolean, at: number): void {
    this.#sql(waiting
      ? `UPDATE relay_step SET status = 'waiting', waiting_since = COALESCE(waiting_since, ?) WHERE run = ? AND sequence = ?`
      : `UPDATE relay_step SET waited = COALESCE(waited, 0) + ? - COALESCE(waiting_since, ?1), waiting_since = NULL WHERE run = ? AND sequence = ?`).run(at, run, sequence);
  }

  countRetry(run: string): void {
    this.#sql(`UPDATE relay_step SET retries = retries + 1 WHERE run = ?1 AND sequence = (SELECT MAX(sequence) FROM relay_step WHERE run = ?1)`).run(run);
  }

  steps(run: string): readonly StoredStep[] {
    return (this.#sql('SELECT * FROM relay_step WHERE run = ? ORDER BY sequence').all(run)).map(stepOf);
  }

  lastStep(run: string): StoredStep | undefined {
    const row = this.#sql('SELECT * FROM relay_step WHERE run = ? ORDER BY sequence DESC LIMIT 1').get(run);
    return row === undefined ? undefined : stepOf(row);
  }

  /** Open rows of a run that ended otherwise. */
  endOpenSteps(run: string, status: StepStatus, at: number): void {
    this.#sql(`UPDATE relay_step SET status = ?, finished_at = ?, waiting_since = NULL WHERE run = ? AND status IN ('running', 'waiting', 'blocked')`).run(status, at, run);
  }

  // What runs at a node.

  setRuntime(run: string, runtime: StoredRuntime): void {
    this.#sql(`INSERT INTO relay_runtime (run, node, visit, handle, process, launched_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (run, node) DO UPDATE SET visit = excluded.visit, handle = excluded.handle, process = excluded.process, launched_at = excluded.launched_at`)
      .run(run, runtime.node, runtime.visit, runtime.handle, runtime.process, runtime.launchedAt);
  }

  runtime(run: string, node: string): StoredRuntime | undefined {
    const row = this.#sql('SELECT * FROM relay_runtime WHERE run = ? AND node = ?').get(run, node);
    return row === undefined ? undefined : runtimeOf(row);
  }

  /** Every process or terminal that was recorded. */
  runtimes(): readonly (StoredRuntime & { readonly run: string })[] {
    return (this.#sql('SELECT * FROM relay_runtime').all()).map((row) => ({ ...runtimeOf(row), run: String(row['run']) }));
  }

  dropRuntime(run: string, node?: string): void {
    if (node === undefined) this.#sql('DELETE FROM relay_runtime WHERE run = ?').run(run);
    else this.#sql('DELETE FROM relay_runtime WHERE run = ? AND node = ?').run(run, node);
  }

  setSession(run: string, session: StoredSession): void {
    this.#sql(`INSERT INTO relay_session (run, node, session, visit) VALUES (?, ?, ?, ?) ON CONFLICT (run, node) DO UPDATE SET session = excluded.session, visit = excluded.visit`)
      .run(run, session.node, session.session, session.visit);
  }

  session(run: string, node: string): StoredSession | undefined {
    return this.#sql('SELECT node, session, visit FROM relay_session WHERE run = ? AND node = ?').get(run, node) as unknown as StoredSession | undefined;
  }

  /** The node of the run that a session belongs to. */
  sessionOwner(run: string, session: string): StoredSession | undefined {
    return this.#sql('SELECT node, session, visit FROM relay_session WHERE run = ? AND session = ?').get(run, session) as unknown as StoredSession | undefined;
  }

  dropSession(run: string, node?: string): void {
    if (node === undefined) this.#sql('DELETE FROM relay_session WHERE run = ?').run(run);
    else this.#sql('DELETE FROM relay_session WHERE run = ? AND node = ?').run(run, node);
  }

  // Reports.

  noteReport(run: string, reportId: string): void {
    this.#sql('INSERT INTO relay_report (run, report) VALUES (?, ?) ON CONFLICT DO NOTHING').run(run, reportId);
  }

  hasReport(run: string, reportId: string): boolean {
    return this.#sql('SELECT 1 AS found FROM relay_report WHERE run = ? AND report = ?').get(run, reportId) !== undefined;
  }

  /** The report that ends a visit, once there is one. */
  reportOfVisit(run: string, visit: string): string | undefined {
    const row = this.#sql('SELECT report FROM relay_step WHERE run = ? AND visit = ?').get(run, visit);
    const report = row?.['report'];
    return typeof report === 'string' ? report : undefined;
  }

  noteReportOfVisit(run: string, visit: string, reportId: string): void {
    this.#sql('UPDATE relay_step SET report = ? WHERE run = ? AND visit = ?').run(reportId, run, visit);
  }

  propose(run: string, proposal: StoredProposal): void {
    this.#sql(`INSERT INTO relay_proposal (run, node, visit, report_id, report, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (run) DO UPDATE SET node = excluded.node, visit = excluded.visit, report_id = excluded.report_id, report = excluded.report, text = excluded.text, at = excluded.at`)
      .run(run, proposal.node, proposal.visit, proposal.reportId, proposal.report, proposal.text, proposal.at);
  }

  proposal(run: string): StoredProposal | undefined {
    const row = this.#sql('SELECT * FROM relay_proposal WHERE run = ?').get(run);
    return row === undefined ? undefined : proposalOf(row);
  }

  dropProposal(run: string, reportId?: string): void {
    this.#sql('DELETE FROM relay_proposal WHERE run = ?1 AND (?2 IS NULL OR report_id = ?2)').run(run, reportId ?? null);
  }

  // What happened, for people.

  log(run: string, entry: { readonly at: number; readonly node: string | null; readonly visit: string | null; readonly text: string }): void {
    this.#sql('INSERT INTO relay_log (run, at, node, visit, text) VALUES (?, ?, ?, ?, ?)').run(run, entry.at, entry.node, entry.visit, entry.text);
  }

  /** Oldest first, after the entry of a number. */
  logs(run: string, after: number, limit: number): readonly { readonly number: number; readonly at: number; readonly node: string | null; readonly visit: string | null; readonly text: string }[] {
    return this.#sql('SELECT number, at, node, visit, text FROM relay_log WHERE run = ? AND number > ? ORDER BY number LIMIT ?').all(run, after, limit) as never;
  }

  #sql(text: string): HostStatement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}
