import { fault } from '../../faults/fault.js';
import { FlowsError } from '../../errors/flows-error.js';
import type { ClaimRef, CompletedRecord, ProgressRecord, StartedRecord, StepRecord } from '../port.js';
import type { SqliteValue } from './database.js';
import { FENCE, type Runs } from './runs.js';
import { KIND_NUMBERS, STEPS_PER_RUN } from './schema.js';
import { HISTORY_SQL, stepRecord } from './step-rows.js';
import { jsonText, type Statements } from './statements.js';

const STARTED_SQL = `
INSERT INTO step (key, kind, attempt, step_id, fingerprint, started_at, label, request, wait)
SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? FROM run WHERE ${FENCE}
ON CONFLICT (key) DO UPDATE SET
  kind = excluded.kind, attempt = excluded.attempt, step_id = excluded.step_id, fingerprint = excluded.fingerprint, started_at = excluded.started_at,
  label = coalesce(excluded.label, label), request = coalesce(excluded.request, request), wait = coalesce(excluded.wait, wait)
WHERE ok IS NULL`;

const PROGRESSED_SQL = `
UPDATE step SET progress = ? WHERE key = ? AND ok IS NULL AND attempt <= ? AND EXISTS (SELECT 1 FROM run WHERE ${FENCE})`;

/** Outcome, verdict and spending consist of several columns, which are replaced together or not at all. */
const COMPLETED_SQL = `
INSERT INTO step (key, kind, attempt, step_id, fingerprint, started_at, label, request, ended_at, ok, value, gate, gate_error, wallclock, tokens,
  micro_dollars, unmetered, position, created)
SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM run WHERE ${FENCE}
ON CONFLICT (key) DO UPDATE SET
  kind = excluded.kind, attempt = excluded.attempt, step_id = excluded.step_id, fingerprint = excluded.fingerprint,
  started_at = coalesce(excluded.started_at, started_at), label = coalesce(excluded.label, label), request = coalesce(excluded.request, request),
  ended_at = coalesce(excluded.ended_at, ended_at),
  ok = coalesce(excluded.ok, ok), value = iif(excluded.ok IS NULL, value, excluded.value),
  gate = coalesce(excluded.gate, gate), gate_error = iif(excluded.gate IS NULL, gate_error, excluded.gate_error),
  wallclock = coalesce(excluded.wallclock, wallclock), tokens = coalesce(excluded.tokens, tokens),
  micro_dollars = coalesce(excluded.micro_dollars, micro_dollars), unmetered = iif(excluded.wallclock IS NULL, unmetered, excluded.unmetered),
  position = coalesce(position, excluded.position), created = coalesce(excluded.created, created)`;

const CHARGED_SQL = `
SELECT coalesce(sum(micro_dollars), 0) FROM step JOIN run ON run.number = step.key / ${STEPS_PER_RUN}
WHERE micro_dollars > 0 AND ended_at >= ? AND ok IS NOT NULL AND flow_name = ?`;

/** A record turned into what is bound: `values` without the key, which needs the run's number. */
interface EncodedRecord {
  readonly claim: ClaimRef;
  readonly seq: number;
  readonly values: readonly SqliteValue[];
}

/** The table `step`. Methods called `encode…` take the record as it is now, those called `write…` belong into a transaction and answer with stale runs. */
export class Steps {
  readonly #sql: Statements;
  readonly #runs: Runs;

  constructor(sql: Statements, runs: Runs) {
    this.#sql = sql;
    this.#runs = runs;
  }

  encodeStarted(record: StartedRecord): EncodedRecord {
    return encoded(record, [...identity(record), record.at, record.label ?? null, jsonText(record.request), jsonText(record.wait)]);
  }

  encodeProgressed(record: ProgressRecord): EncodedRecord {
    return encoded(record, [jsonText(record.progress), record.attempt]);
  }

  encodeCompleted(record: CompletedRecord): EncodedRecord {
    const { outcome, gate, spend } = record;
    return encoded(record, [
      ...identity(record), record.startedAt ?? null, record.label ?? null, jsonText(record.request), record.endedAt ?? null,
      flag(outcome?.ok), outcome === undefined ? null : jsonText(outcome.ok ? outcome.value : outcome.error),
      flag(gate?.passed), jsonText(gate?.error),
      spend?.wallclock ?? null, spend?.tokens ?? null, spend?.microDollars ?? null, flag(spend?.unmetered),
      record.position ?? null, record.created ?? null,
    ]);
  }

  writeStarted(records: readonly EncodedRecord[]): StaleSet {
    return this.#writeEach(records, ({ claim, values }, fence, key) => this.#sql(STARTED_SQL).run([key, ...values, ...fence]) > 0 || this.#runs.holds(claim));
  }

  writeProgressed(records: readonly EncodedRecord[]): StaleSet {
    return this.#writeEach(records, ({ claim, values: [progress = null, attempt = null] }, fence, key) =>
      this.#sql(PROGRESSED_SQL).run([progress, key, attempt, ...fence]) > 0 || this.#runs.holds(claim));
  }

  writeCompleted(records: readonly EncodedRecord[]): StaleSet {
    return this.#writeEach(records, ({ values }, fence, key) => {
      const written = this.#sql(COMPLETED_SQL).run([key, ...values, ...fence]) > 0;
      fault('journal.completed.inside');
      return written;
    });
  }

  history(runId: string): readonly StepRecord[] {
    return this.#sql(HISTORY_SQL).rows([runId]).map(stepRecord);
  }

  /** Removes every step of the run of this number. */
  forget(run: number): void {
    this.#sql('DELETE FROM step WHERE key BETWEEN ? AND ?').run([run * STEPS_PER_RUN, run * STEPS_PER_RUN + STEPS_PER_RUN - 1]);
  }

  charged(flowName: string, since: number): number {
    return this.#sql(CHARGED_SQL).rows([since, flowName])[0]?.[0] as number;
  }

  #writeEach(records: readonly EncodedRecord[], write: (record: EncodedRecord, fence: readonly SqliteValue[], key: number) => boolean): StaleSet {
    const stale = new Set<string>();
    for (const record of records) {
      const fence = this.#runs.fence(record.claim);
      if (fence === undefined || !write(record, fence, fence[0] * STEPS_PER_RUN + record.seq)) stale.add(record.claim.runId);
    }
    return stale;
  }
}

export type StaleSet = ReadonlySet<string>;

function encoded(record: ClaimRef & { readonly seq: number }, values: readonly SqliteValue[]): EncodedRecord {
  const { runId, epoch, seq } = record;
  if (!Number.isInteger(seq) || seq < 1 || seq >= STEPS_PER_RUN) {
    throw new FlowsError('journal_protocol_violation', `A run has at most ${STEPS_PER_RUN - 1} steps, and step ${seq} was to be stored.`, { runId });
  }
  return { claim: { runId, epoch }, seq, values };
}

function identity(record: StartedRecord | CompletedRecord): SqliteValue[] {
  const { kind, attempt, stepId, fingerprint } = record;
  return [KIND_NUMBERS[kind], attempt, stepId, /^[0-9a-f]{32}$/.test(fingerprint) ? Buffer.from(fingerprint, 'hex') : fingerprint];
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}
