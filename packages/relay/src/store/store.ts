import type { HostParameter } from '@relayflows/sdk/journal';
import type { StepStatus } from '../server/answers.js';
import { proposalOf, runtimeOf, stepOf, type StoredProposal, type StoredRuntime, type StoredSession, type StoredStep } from './rows.js';
import { RunTable } from './run-table.js';

/** The projection: what the server shows, and what it must know at once about runs that are not in memory. Every call is one short transaction, and may be made twice. */
export class RelayStore extends RunTable {
  // The path.

  enterStep(run: string, step: { readonly sequence: number; readonly node: string; readonly visit: string | null; readonly type: StoredStep['type']; readonly parent: number | null; readonly depth: number; readonly at: number }): void {
    this.sql(`INSERT INTO relay_step (run, sequence, node, visit, type, parent, depth, status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?) ON CONFLICT DO NOTHING`)
      .run(run, step.sequence, step.node, step.visit, step.type, step.parent, step.depth, step.at);
  }

  updateStep(run: string, sequence: number, update: { readonly status?: StepStatus; readonly message?: string; readonly route?: string; readonly finishedAt?: number; readonly terminal?: string; readonly session?: string }): void {
    const columns = { status: update.status, message: update.message, route: update.route, finished_at: update.finishedAt, terminal: update.terminal, session: update.session };
    const entries = Object.entries(columns).flatMap(([column, value]): [string, HostParameter][] => (value === undefined ? [] : [[column, value]]));
    if (entries.length === 0) return;
    this.sql(`UPDATE relay_step SET ${entries.map(([column]) => `${column} = ?`).join(', ')} WHERE run = ? AND sequence = ?`).run(...entries.map(([, value]) => value), run, sequence);
  }

  /** A visit waits from now on, or does not any more. */
  waitStep(run: string, sequence: number, waiting: boolean, at: number): void {
    this.sql(waiting
      ? `UPDATE relay_step SET status = 'waiting', waiting_since = COALESCE(waiting_since, ?) WHERE run = ? AND sequence = ?`
      : `UPDATE relay_step SET waited = COALESCE(waited, 0) + MAX(0, ?1 - COALESCE(waiting_since, ?1)), waiting_since = NULL WHERE run = ? AND sequence = ?`).run(at, run, sequence);
  }

  countRetry(run: string): void {
    this.sql(`UPDATE relay_step SET retries = retries + 1 WHERE run = ?1 AND sequence = (SELECT MAX(sequence) FROM relay_step WHERE run = ?1)`).run(run);
  }

  steps(run: string): readonly StoredStep[] {
    return (this.sql('SELECT * FROM relay_step WHERE run = ? ORDER BY sequence').all(run)).map(stepOf);
  }

  lastStep(run: string): StoredStep | undefined {
    const row = this.sql('SELECT * FROM relay_step WHERE run = ? ORDER BY sequence DESC LIMIT 1').get(run);
    return row === undefined ? undefined : stepOf(row);
  }

  /** Open rows of a run that ended otherwise. */
  endOpenSteps(run: string, status: StepStatus, at: number): void {
    this.sql(`UPDATE relay_step SET status = ?, finished_at = ?, waiting_since = NULL WHERE run = ? AND status IN ('running', 'waiting', 'blocked')`).run(status, at, run);
  }

  // What runs at a node.

  setRuntime(run: string, runtime: StoredRuntime): void {
    this.sql(`INSERT INTO relay_runtime (run, node, visit, handle, process, launched_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (run, node) DO UPDATE SET visit = excluded.visit, handle = excluded.handle, process = excluded.process, launched_at = excluded.launched_at`)
      .run(run, runtime.node, runtime.visit, runtime.handle, runtime.process, runtime.launchedAt);
  }

  runtime(run: string, node: string): StoredRuntime | undefined {
    const row = this.sql('SELECT * FROM relay_runtime WHERE run = ? AND node = ?').get(run, node);
    return row === undefined ? undefined : runtimeOf(row);
  }

  /** Every process or terminal that was recorded. */
  runtimes(): readonly (StoredRuntime & { readonly run: string })[] {
    return (this.sql('SELECT * FROM relay_runtime').all()).map((row) => ({ ...runtimeOf(row), run: String(row['run']) }));
  }

  dropRuntime(run: string, node?: string): void {
    if (node === undefined) this.sql('DELETE FROM relay_runtime WHERE run = ?').run(run);
    else this.sql('DELETE FROM relay_runtime WHERE run = ? AND node = ?').run(run, node);
  }

  setSession(run: string, session: StoredSession): void {
    this.sql(`INSERT INTO relay_session (run, node, session, visit) VALUES (?, ?, ?, ?) ON CONFLICT (run, node) DO UPDATE SET session = excluded.session, visit = excluded.visit`)
      .run(run, session.node, session.session, session.visit);
  }

  session(run: string, node: string): StoredSession | undefined {
    return this.sql('SELECT node, session, visit FROM relay_session WHERE run = ? AND node = ?').get(run, node) as unknown as StoredSession | undefined;
  }

  /** The node of the run that a session belongs to. */
  sessionOwner(run: string, session: string): StoredSession | undefined {
    return this.sql('SELECT node, session, visit FROM relay_session WHERE run = ? AND session = ?').get(run, session) as unknown as StoredSession | undefined;
  }

  dropSession(run: string, node?: string): void {
    if (node === undefined) this.sql('DELETE FROM relay_session WHERE run = ?').run(run);
    else this.sql('DELETE FROM relay_session WHERE run = ? AND node = ?').run(run, node);
  }

  // Reports.

  noteReport(run: string, reportId: string): void {
    this.sql('INSERT INTO relay_report (run, report) VALUES (?, ?) ON CONFLICT DO NOTHING').run(run, reportId);
  }

  hasReport(run: string, reportId: string): boolean {
    return this.sql('SELECT 1 AS found FROM relay_report WHERE run = ? AND report = ?').get(run, reportId) !== undefined;
  }

  /** The report that ends a visit, once there is one. */
  reportOfVisit(run: string, visit: string): string | undefined {
    const row = this.sql('SELECT report FROM relay_step WHERE run = ? AND visit = ?').get(run, visit);
    const report = row?.['report'];
    return typeof report === 'string' ? report : undefined;
  }

  /** Of runs that wait: those whose visit has a report that waits for a person, or one that was taken. All of them, or one. */
  reportedVisits(run?: string): ReadonlyMap<string, 'proposed' | 'taken'> {
    const sql = `SELECT r.id AS run, s.report IS NOT NULL AS taken FROM relay_run r JOIN relay_step s ON s.run = r.id AND s.visit = r.visit
      LEFT JOIN relay_proposal p ON p.run = r.id AND p.visit = r.visit WHERE r.state = 'waiting' AND (s.report IS NOT NULL OR p.run IS NOT NULL)`;
    const rows = run === undefined ? this.sql(sql).all() : this.sql(`${sql} AND r.id = ?`).all(run);
    return new Map(rows.map((row) => [String(row['run']), Number(row['taken']) === 1 ? 'taken' : 'proposed']));
  }

  noteReportOfVisit(run: string, visit: string, reportId: string): void {
    this.sql('UPDATE relay_step SET report = ? WHERE run = ? AND visit = ?').run(reportId, run, visit);
  }

  propose(run: string, proposal: StoredProposal): void {
    this.sql(`INSERT INTO relay_proposal (run, node, visit, report_id, report, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (run) DO UPDATE SET node = excluded.node, visit = excluded.visit, report_id = excluded.report_id, report = excluded.report, text = excluded.text, at = excluded.at`)
      .run(run, proposal.node, proposal.visit, proposal.reportId, proposal.report, proposal.text, proposal.at);
  }

  proposal(run: string): StoredProposal | undefined {
    const row = this.sql('SELECT * FROM relay_proposal WHERE run = ?').get(run);
    return row === undefined ? undefined : proposalOf(row);
  }

  dropProposal(run: string, reportId?: string): void {
    this.sql('DELETE FROM relay_proposal WHERE run = ?1 AND (?2 IS NULL OR report_id = ?2)').run(run, reportId ?? null);
  }

  // What happened, for people.

  log(run: string, entry: { readonly at: number; readonly node: string | null; readonly visit: string | null; readonly text: string }): void {
    this.sql('INSERT INTO relay_log (run, at, node, visit, text) VALUES (?, ?, ?, ?, ?)').run(run, entry.at, entry.node, entry.visit, entry.text);
  }

  /** Oldest first, after the entry of a number. */
  logs(run: string, after: number, limit: number): readonly { readonly number: number; readonly at: number; readonly node: string | null; readonly visit: string | null; readonly text: string }[] {
    return this.sql('SELECT number, at, node, visit, text FROM relay_log WHERE run = ? AND number > ? ORDER BY number LIMIT ?').all(run, after, limit) as never;
  }
}
