import { decideClaim } from '../claim-rule.js';
import type { ClaimRef, Journal, OwnerIdentity, RunRecord, RunStatus } from '../port.js';
import { runExists, runFinished, runNotFound } from '../refusals.js';
import type { SqliteRow, SqliteValue } from './database.js';
import { FIRST_FINISHED, STATUS_NUMBERS } from './schema.js';
import { jsonText, parsedJson, type Statements } from './statements.js';

/** True of the one row whose claim is current. Takes number, id and epoch. */
export const FENCE = 'run.number = ? AND run.id = ? AND run.epoch = ? AND run.owner IS NOT NULL';

const COLUMNS = `status, epoch, owner, lease_until, updated_at, wake_at, human_influenced, created_at, id, flow_name, flow_version, source, cwd, flags,
  completion, input`;
const STATUSES = Object.keys(STATUS_NUMBERS) as RunStatus[];

type NewRunRow = Pick<Parameters<Journal['createRun']>[0], 'run' | 'owner' | 'leaseUntil'>;

/** The tables `run` and `run_input`. The input lies apart because a run's row is rewritten with every heartbeat. */
export class Runs {
  readonly #sql: Statements;
  /** Numbers never change, so those of the runs this process writes are looked up once. */
  readonly #numbers = new Map<string, number>();

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** Takes what is to be stored as text now, and stores it when the answer is called. Throws `run_exists`. */
  prepareCreate({ run, owner, leaseUntil }: NewRunRow): () => void {
    const { id, createdAt } = run;
    const row = [
      STATUS_NUMBERS.running, 1, jsonText(owner), leaseUntil, createdAt, createdAt, id, run.flowName, run.flowVersion ?? null, jsonText(run.source), run.cwd, jsonText(run.flags),
    ];
    const input = jsonText(run.input);
    return () => {
      const created = this.#sql(
        `INSERT INTO run (status, epoch, owner, lease_until, updated_at, created_at, id, flow_name, flow_version, source, cwd, flags)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      ).run(row);
      if (created === 0) throw runExists(id);
      this.#sql('INSERT INTO run_input (number, input) SELECT number, ? FROM run WHERE id = ?').run([input, id]);
    };
  }

  /** Returns the owner that was displaced. Throws `run_not_found`, `run_finished`, `run_owned`. */
  claim(args: { readonly runId: string; readonly owner: OwnerIdentity; readonly ownerText: string; readonly now: number; readonly leaseUntil: number; readonly takeOver?: number }): OwnerIdentity | undefined {
    const [row] = this.#sql('SELECT number, status, epoch, owner, lease_until FROM run WHERE id = ?').rows([args.runId]);
    if (row === undefined) throw runNotFound(args.runId);
    const [number, status, epoch, owner, leaseUntil] = row as [number, number, number, string | null, number | null];
    const displaced = decideClaim(
      {
        runId: args.runId,
        status: STATUSES[status] as RunStatus,
        epoch,
        owner: owner === null ? undefined : parsedJson<OwnerIdentity>(owner),
        leaseUntil: leaseUntil ?? undefined,
      },
      args,
    );
    this.#sql('UPDATE run SET status = ?, epoch = ?, owner = ?, lease_until = ?, updated_at = ?, wake_at = NULL WHERE number = ?').run([
      STATUS_NUMBERS.running, epoch + 1, args.ownerText, args.leaseUntil, args.now, number,
    ]);
    return displaced;
  }

  /** Arguments for {@link FENCE}; `undefined` when there is no such run. */
  fence({ runId, epoch }: ClaimRef): [number, string, number] | undefined {
    let number = this.#numbers.get(runId);
    if (number === undefined) {
      number = this.#sql('SELECT number FROM run WHERE id = ?').rows([runId])[0]?.[0] as number | undefined;
      if (number === undefined) return undefined;
      this.#numbers.set(runId, number);
    }
    return [number, runId, epoch];
  }

  /** Numbers given by a transaction that was rolled back are given again, to other runs. */
  forgetNumbers(): void {
    this.#numbers.clear();
  }

  holds(claim: ClaimRef): boolean {
    const fence = this.fence(claim);
    return fence !== undefined && this.#sql(`SELECT 1 FROM run WHERE ${FENCE}`).rows(fence).length > 0;
  }

  /** False when the claim is stale. */
  extendLease(claim: ClaimRef, leaseUntil: number): boolean {
    return this.#update('lease_until = ?', [leaseUntil], claim);
  }

  /** False when the claim is stale. */
  setSource(claim: ClaimRef, refText: string): boolean {
    return this.#update('source = ?', [refText], claim);
  }

  /** False when the claim is stale. */
  rest(claim: ClaimRef, to: { readonly status: RunStatus; readonly at: number; readonly wakeAt?: number; readonly completion?: string | null }): boolean {
    const rested = this.#update(
      'status = ?, owner = NULL, lease_until = NULL, updated_at = ?, wake_at = ?, completion = ?',
      [STATUS_NUMBERS[to.status], to.at, to.wakeAt ?? null, to.completion ?? null],
      claim,
    );
    if (rested) this.#numbers.delete(claim.runId);
    return rested;
  }

  /** Ends the claim and gives the run another input. Answers with its number; `undefined` when the claim is stale. */
  beginAgain(claim: ClaimRef, inputText: string, at: number): number | undefined {
    const number = this.fence(claim)?.[0];
    if (number === undefined || !this.rest(claim, { status: 'interrupted', at })) return undefined;
    this.#sql('UPDATE run_input SET input = ? WHERE number = ?').run([inputText, number]);
    return number;
  }

  #update(assignments: string, values: readonly SqliteValue[], claim: ClaimRef): boolean {
    const fence = this.fence(claim);
    return fence !== undefined && this.#sql(`UPDATE run SET ${assignments} WHERE ${FENCE}`).run([...values, ...fence]) > 0;
  }

  markHumanInfluenced(runId: string): void {
    if (this.#sql('UPDATE run SET human_influenced = 1 WHERE id = ?').run([runId]) === 0) throw runNotFound(runId);
  }

  /** The number of a run that has not ended. Throws `run_not_found`, `run_finished`. */
  numberOfUnfinished(runId: string): number {
    const [row] = this.#sql('SELECT number, status FROM run WHERE id = ?').rows([runId]);
    if (row === undefined) throw runNotFound(runId);
    const [number, status] = row as [number, number];
    if (status >= FIRST_FINISHED) throw runFinished(runId, STATUSES[status] as RunStatus);
    return number;
  }

  /** Deletes a run that has ended. Answers with its number; `undefined` when there is no such run, or it has not ended. */
  remove(runId: string): number | undefined {
    const [row] = this.#sql('SELECT number FROM run WHERE id = ? AND status >= ?').rows([runId, FIRST_FINISHED]);
    if (row === undefined) return undefined;
    const [number] = row as [number];
    this.#sql('DELETE FROM run_input WHERE number = ?').run([number]);
    this.#sql('DELETE FROM run WHERE number = ?').run([number]);
    // The next run may get it.
    this.#numbers.delete(runId);
    return number;
  }

  get(runId: string): RunRecord | undefined {
    const [row] = this.#sql(`SELECT ${COLUMNS} FROM run JOIN run_input USING (number) WHERE id = ?`).rows([runId]);
    return row && runRecord(row);
  }

  list({ statuses, flowName, idPrefix, wakeBefore, limit }: Parameters<Journal['list']>[0]): readonly RunRecord[] {
    const conditions: string[] = [];
    const values: SqliteValue[] = [];
    const condition = (sql: string, ...args: readonly SqliteValue[]): void => {
      conditions.push(sql);
      values.push(...args);
    };
    const numbers = statuses?.map((status) => STATUS_NUMBERS[status]);
    // The comparison with a literal lets SQLite see that its index of unfinished runs has all that is asked for.
    if (numbers?.every((number) => number < FIRST_FINISHED)) condition(`status < ${FIRST_FINISHED}`);
    if (numbers !== undefined) condition(`status IN (${numbers.join(', ')})`);
    if (wakeBefore !== undefined) condition(`status < ${FIRST_FINISHED} AND status = ${STATUS_NUMBERS.parked} AND wake_at <= ?`, wakeBefore);
    if (flowName !== undefined) condition('flow_name = ?', flowName);
    if (idPrefix !== undefined) condition('id >= ? AND id <= ?', idPrefix, `${idPrefix}\u{10ffff}`);
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    // Chosen first and read then, so that nothing as large as inputs is sorted.
    const chosen = `SELECT number FROM run ${where} ORDER BY number DESC LIMIT ?`;
    const rows = this.#sql(`SELECT ${COLUMNS} FROM run JOIN run_input USING (number) WHERE number IN (${chosen}) ORDER BY number DESC`).rows([
      ...values, Number.isFinite(limit) ? limit : -1,
    ]);
    return rows.map(runRecord);
  }
}

function runRecord(row: SqliteRow): RunRecord {
  const [status, epoch, owner, leaseUntil, updatedAt, wakeAt, humanInfluenced, createdAt, id, flowName, flowVersion, source, cwd, flags, completion, input] = row as [
    number, number, string | null, number | null, number, number | null, number, number, string, string, string | null, string, string, string, string | null, string,
  ];
  return {
    id,
    flowName,
    ...(flowVersion === null ? {} : { flowVersion }),
    source: parsedJson<RunRecord['source']>(source),
    input: parsedJson<RunRecord['input']>(input),
    cwd,
    createdAt,
    flags: parsedJson<RunRecord['flags']>(flags),
    status: STATUSES[status] as RunStatus,
    epoch,
    ...(owner === null ? {} : { owner: parsedJson<OwnerIdentity>(owner) }),
    ...(leaseUntil === null ? {} : { leaseUntil }),
    updatedAt,
    ...(wakeAt === null ? {} : { wakeAt }),
    ...(completion === null ? {} : { completion: parsedJson<NonNullable<RunRecord['completion']>>(completion) }),
    humanInfluenced: humanInfluenced === 1,
  };
}
