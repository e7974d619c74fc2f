import type { StepFailure, StepKind, StepRecord } from '../port.js';
import type { SqliteRow } from './database.js';
import { KIND_NUMBERS, STEPS_PER_RUN } from './schema.js';
import { parsedJson } from './statements.js';

const KINDS = Object.keys(KIND_NUMBERS) as StepKind[];

/**
 * A run's steps in order. Every cell costs time on its way out of SQLite, so members that plain values lack come together in one, as a JSON array of
 * what the columns hold, and only where there are any.
 */
export const HISTORY_SQL = `
SELECT key % ${STEPS_PER_RUN}, kind, attempt, step_id, iif(typeof(fingerprint) = 'blob', lower(hex(fingerprint)), fingerprint), ok, value, ended_at,
  position, created,
  iif(coalesce(started_at, wallclock, label, gate, request, wait, progress) IS NULL, NULL,
    json_array(started_at, wallclock, tokens, micro_dollars, unmetered, label, gate, gate_error, request, wait, progress))
FROM step, (SELECT number * ${STEPS_PER_RUN} AS first FROM run WHERE id = ?)
WHERE key BETWEEN first AND first + ${STEPS_PER_RUN - 1} ORDER BY key`;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export function stepRecord(row: SqliteRow): StepRecord {
  const [seq, kind, attempt, stepId, fingerprint, ok, value, endedAt, position, created, rest] = row as [
    number, number, number, string, string, number | null, string | null, number | null, number | null, number | null, string | null,
  ];
  const record: Writable<StepRecord> = { seq, stepId, kind: KINDS[kind] as StepKind, fingerprint, attempt };
  if (endedAt !== null) record.endedAt = endedAt;
  if (ok === 1) record.outcome = value === null ? { ok: true } : { ok: true, value: parsedJson(value) };
  else if (ok === 0) record.outcome = { ok: false, error: parsedJson<StepFailure>(value as string) };
  if (position !== null) record.position = position;
  if (created !== null) record.created = created;
  if (rest !== null) addRest(record, parsedJson(rest));
  return record;
}

type Rest = readonly [
  startedAt: number | null, wallclock: number | null, tokens: number, microDollars: number, unmetered: number | null, label: string | null,
  gate: number | null, gateError: string | null, request: string | null, wait: string | null, progress: string | null,
];

function addRest(record: Writable<StepRecord>, rest: Rest): void {
  const [startedAt, wallclock, tokens, microDollars, unmetered, label, gate, gateError, request, wait, progress] = rest;
  if (startedAt !== null) record.startedAt = startedAt;
  if (wallclock !== null) record.spend = { wallclock, tokens, microDollars, ...(unmetered === null ? {} : { unmetered: unmetered === 1 }) };
  if (label !== null) record.label = label;
  if (gate !== null) record.gate = { passed: gate === 1, ...(gateError === null ? {} : { error: parsedJson<StepFailure>(gateError) }) };
  if (request !== null) record.request = parsedJson(request);
  if (wait !== null) record.wait = parsedJson(wait);
  if (progress !== null) record.progress = parsedJson(progress);
}
