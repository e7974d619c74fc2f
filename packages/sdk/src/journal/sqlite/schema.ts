import type { RunStatus, StepKind } from '../port.js';

/** Marks a SQLite file as a journal: "rlfl" in ASCII, stored as `PRAGMA application_id`. */
export const APPLICATION_ID = 0x726c666c;

/** Stored numbers of words. A number is never reused; new words get new numbers, and a migration extends the views. */
export const STATUS_NUMBERS: Readonly<Record<RunStatus, number>> = { running: 0, parked: 1, interrupted: 2, completed: 3, failed: 4, canceled: 5 };
export const KIND_NUMBERS: Readonly<Record<StepKind, number>> = {
  run: 0, llm: 1, agent: 2, human: 3, dispatch: 4, hook: 5, sleep: 6, now: 7, uuid: 8, signal: 9, external: 10,
};

/** The lowest status number of a run that has ended. */
export const FIRST_FINISHED = STATUS_NUMBERS.completed;

/** A step's key is its run's number times this, plus its `seq`: one integer, so that rows lie in the order of history and are found by one comparison. */
export const STEPS_PER_RUN = 2 ** 24;

/**
 * The change from version n to n + 1 of the schema at index n, as SQL executed in one transaction. Entries are never edited once released.
 *
 * Columns of `step` stand in the order in which a plain value uses them: NULL, 0 and 1 take no space beyond one byte of the row's header.
 */
export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE run (
  number INTEGER PRIMARY KEY,
  status INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  owner TEXT,
  lease_until INTEGER,
  updated_at INTEGER NOT NULL,
  wake_at INTEGER,
  human_influenced INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  flow_name TEXT NOT NULL,
  flow_version TEXT,
  source TEXT NOT NULL,
  cwd TEXT NOT NULL,
  flags TEXT NOT NULL,
  completion TEXT
);
CREATE INDEX run_unfinished ON run (status) WHERE status < 3;
CREATE TABLE run_input (
  number INTEGER PRIMARY KEY,
  input TEXT NOT NULL
);
CREATE TABLE source (
  digest TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL
);
CREATE TABLE step (
  key INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  ok INTEGER,
  position INTEGER,
  created INTEGER,
  ended_at INTEGER,
  step_id TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  value TEXT,
  started_at INTEGER,
  wallclock INTEGER,
  tokens INTEGER,
  micro_dollars INTEGER,
  unmetered INTEGER,
  label TEXT,
  gate INTEGER,
  gate_error TEXT,
  request TEXT,
  wait TEXT,
  progress TEXT
);
CREATE INDEX step_charge ON step (ended_at) WHERE micro_dollars > 0;
CREATE TABLE signal (
  number INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  taken_by INTEGER,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  payload TEXT NOT NULL
);
CREATE INDEX signal_mailbox ON signal (run, name);
CREATE VIEW runs AS
  SELECT id, ${caseOf('status', STATUS_NUMBERS)} AS status, ${isoTime('created_at')} AS created, ${isoTime('updated_at')} AS updated,
    ${isoTime('wake_at')} AS wakes, flow_name AS flow, json_extract(completion, '$.reason') AS reason, json_extract(owner, '$.pid') AS pid, cwd, number
  FROM run;
CREATE VIEW steps AS
  SELECT run.id AS run, step.key & ${STEPS_PER_RUN - 1} AS seq, step_id AS step, ${caseOf('kind', KIND_NUMBERS)} AS kind, label, attempt,
    ok, value, gate, ${isoTime('started_at')} AS started, ${isoTime('ended_at')} AS ended, wallclock AS wallclock_ms, tokens,
    micro_dollars / 1e6 AS dollars, position, request, progress, lower(hex(fingerprint)) AS fingerprint
  FROM step JOIN run ON run.number = step.key / ${STEPS_PER_RUN};
`,
];

/** The version this package writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

function caseOf(column: string, numbers: Readonly<Record<string, number>>): string {
  return `CASE ${column} ${Object.entries(numbers).map(([word, number]) => `WHEN ${number} THEN '${word}'`).join(' ')} END`;
}

function isoTime(column: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
}
