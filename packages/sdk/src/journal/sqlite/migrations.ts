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
  SELECT id,
    CASE status WHEN 0 THEN 'running' WHEN 1 THEN 'parked' WHEN 2 THEN 'interrupted' WHEN 3 THEN 'completed' WHEN 4 THEN 'failed'
      WHEN 5 THEN 'canceled' END AS status,
    flow_name AS flow,
    json_extract(completion, '$.reason') AS reason,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created,
    strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') AS updated,
    strftime('%Y-%m-%dT%H:%M:%fZ', wake_at / 1000.0, 'unixepoch') AS wakes,
    json_extract(owner, '$.pid') AS pid,
    cwd
  FROM run;
CREATE VIEW steps AS
  SELECT run.id AS run,
    step.key & 16777215 AS seq,
    step_id AS step,
    CASE kind WHEN 0 THEN 'run' WHEN 1 THEN 'llm' WHEN 2 THEN 'agent' WHEN 3 THEN 'human' WHEN 4 THEN 'dispatch' WHEN 5 THEN 'hook'
      WHEN 6 THEN 'sleep' WHEN 7 THEN 'now' WHEN 8 THEN 'uuid' WHEN 9 THEN 'signal' WHEN 10 THEN 'external' END AS kind,
    label,
    attempt,
    CASE ok WHEN 1 THEN 'ok' WHEN 0 THEN 'failed' ELSE 'open' END AS outcome,
    value,
    gate,
    strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') AS started,
    strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended,
    wallclock AS wallclock_ms,
    tokens,
    micro_dollars / 1e6 AS dollars,
    position,
    request,
    progress,
    lower(hex(fingerprint)) AS fingerprint
  FROM step JOIN run ON run.number = step.key / 16777216;
`,
];
