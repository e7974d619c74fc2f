import type { HostParameter } from '@relayflows/sdk/journal';
import type { RetryView, RunState } from '../server/answers.js';
import type { WorkflowDefinition } from '../workflow/definition.js';
import { runOf, type NewStoredRun, type StoredRun } from './rows.js';
import { Statements } from './statements.js';

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

type Spent = Record<keyof StoredRun['spent'], number>;

/** Where every run stands. */
export class RunTable extends Statements {
  /** Milliseconds that are written with the next update of their run: a statistic is worth no transaction of its own. */
  readonly #spent = new Map<string, Spent>();

  /** Leaves a run that is there as it is. */
  addRun(run: NewStoredRun): void {
    this.sql(`INSERT INTO relay_run (id, logical, attempt, repo, workflow, ticket_id, ticket_key, ticket_title, state, definition, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'starting', ?, ?, ?) ON CONFLICT DO NOTHING`)
      .run(run.id, run.logical, run.attempt, run.repo, run.workflow.name, run.ticket.id, run.ticket.key, run.ticket.title, JSON.stringify(run.workflow), run.at, run.at);
  }

  run(id: string): StoredRun | undefined {
    const row = this.sql('SELECT * FROM relay_run WHERE id = ?').get(id);
    return row === undefined ? undefined : this.#withSpent(runOf(row));
  }

  /** The definition that a run walks. */
  definition(id: string): WorkflowDefinition | undefined {
    const row = this.sql('SELECT definition FROM relay_run WHERE id = ?').get(id);
    return row === undefined ? undefined : (JSON.parse(String(row['definition'])) as WorkflowDefinition);
  }

  latestAttempt(logical: string): StoredRun | undefined {
    const row = this.sql('SELECT * FROM relay_run WHERE logical = ? ORDER BY attempt DESC LIMIT 1').get(logical);
    return row === undefined ? undefined : this.#withSpent(runOf(row));
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
    return (this.sql(sql).all(...values, filter.limit ?? 1_000_000)).map((row) => this.#withSpent(runOf(row)));
  }

  /** For the poller: who has an attempt that has not ended, without reading whole rows. */
  activeAttempts(repo: string): readonly { readonly id: string; readonly logical: string; readonly state: RunState }[] {
    return this.sql(`SELECT id, logical, state FROM relay_run WHERE repo = ? AND state NOT IN ${ENDED}`).all(repo) as never;
  }

  /** How many runs have not ended: all, or those of a repository or of a workflow. */
  countActive({ repo, workflow }: Pick<RunFilter, 'repo' | 'workflow'>): number {
    const row = this.sql(`SELECT COUNT(*) AS count FROM relay_run WHERE (?1 IS NULL OR repo = ?1) AND (?2 IS NULL OR workflow = ?2) AND state NOT IN ${ENDED}`).get(repo ?? null, workflow ?? null);
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
    const spent = this.#spent.get(id);
    for (const [resource, ms] of Object.entries(spent ?? {})) {
      if (Math.round(ms) === 0) continue;
      set.push(`${resource}_ms = ${resource}_ms + ?`);
      values.push(Math.round(ms));
    }
    // What is being canceled, or has ended, is not brought back by a late activity.
    const guard = update.state === undefined || update.state === 'canceled' || update.state === 'canceling' ? '' : " AND state NOT IN ('canceling', 'canceled')";
    const { changes } = this.sql(`UPDATE relay_run SET ${set.join(', ')} WHERE id = ?${guard}`).run(...values, id);
    if (changes > 0) this.#spent.delete(id);
  }

  /** The first reason wins. Answers whether this call did it. */
  beginCancel(id: string, reason: string, at: number): boolean {
    const { changes } = this.sql(`UPDATE relay_run SET state = 'canceling', reason = ?, retry = NULL, attention = NULL, updated_at = ? WHERE id = ? AND state NOT IN ('canceling', 'canceled', 'completed')`).run(reason, at, id);
    return Number(changes) > 0;
  }

  /** Lost with the process unless the run is updated before. */
  addSpent(id: string, resource: keyof Spent, ms: number): void {
    if (ms <= 0) return;
    const spent = this.#spent.get(id) ?? { runner: 0, task: 0, harness: 0 };
    spent[resource] += ms;
    this.#spent.set(id, spent);
  }

  #withSpent(run: StoredRun): StoredRun {
    const more = this.#spent.get(run.id);
    if (more === undefined) return run;
    const { runner, task, harness } = run.spent;
    return { ...run, spent: { runner: runner + Math.round(more.runner), task: task + Math.round(more.task), harness: harness + Math.round(more.harness) } };
  }

  /** Runs that ended before a time. */
  endedBefore(at: number): readonly string[] {
    return this.sql(`SELECT id FROM relay_run WHERE state IN ${ENDED} AND finished_at < ?`).all(at).map((row) => String(row['id']));
  }

  /** Deletes a run with all that belongs to it. */
  deleteRun(id: string): void {
    this.together(() => {
      for (const table of ['step', 'session', 'runtime', 'report', 'proposal', 'log']) this.sql(`DELETE FROM relay_${table} WHERE run = ?`).run(id);
      this.sql('DELETE FROM relay_run WHERE id = ?').run(id);
    });
    this.#spent.delete(id);
  }
}
