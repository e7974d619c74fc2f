/**
 * The server's own tables, beside the journal's in state.db. They are a projection: the journal is authoritative, and every row is written before the step that
 * it tells of is recorded, in the same write-ahead log, so what the journal knows has its row.
 *
 * Entries are never edited once released; the change from version n to n + 1 stands at index n.
 */
export const RELAY_MIGRATIONS: readonly string[] = [
  `
CREATE TABLE relay_run (
  id TEXT PRIMARY KEY,
  logical TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  repo TEXT NOT NULL,
  workflow TEXT NOT NULL,
  ticket_id TEXT NOT NULL,
  ticket_key TEXT NOT NULL,
  ticket_title TEXT NOT NULL,
  state TEXT NOT NULL,
  node TEXT,
  visit TEXT,
  last_error TEXT,
  retry TEXT,
  attention TEXT,
  reason TEXT,
  definition TEXT NOT NULL,
  mailboxes TEXT,
  workspace TEXT,
  runner_ms INTEGER NOT NULL DEFAULT 0,
  task_ms INTEGER NOT NULL DEFAULT 0,
  harness_ms INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX relay_run_attempt ON relay_run (logical, attempt);
CREATE INDEX relay_run_ticket ON relay_run (ticket_key);
CREATE INDEX relay_run_active ON relay_run (workflow) WHERE state NOT IN ('completed', 'canceled');
CREATE TABLE relay_step (
  run TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  node TEXT NOT NULL,
  visit TEXT,
  type TEXT NOT NULL,
  parent INTEGER,
  depth INTEGER NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  message TEXT,
  route TEXT,
  retries INTEGER NOT NULL DEFAULT 0,
  waiting_since INTEGER,
  waited INTEGER,
  terminal TEXT,
  session TEXT,
  report TEXT,
  PRIMARY KEY (run, sequence)
) WITHOUT ROWID;
CREATE TABLE relay_session (
  run TEXT NOT NULL,
  node TEXT NOT NULL,
  session TEXT NOT NULL,
  visit TEXT NOT NULL,
  PRIMARY KEY (run, node)
) WITHOUT ROWID;
CREATE TABLE relay_runtime (
  run TEXT NOT NULL,
  node TEXT NOT NULL,
  visit TEXT NOT NULL,
  handle TEXT,
  process TEXT,
  launched_at INTEGER NOT NULL,
  PRIMARY KEY (run, node)
) WITHOUT ROWID;
CREATE TABLE relay_report (
  run TEXT NOT NULL,
  report TEXT NOT NULL,
  PRIMARY KEY (run, report)
) WITHOUT ROWID;
CREATE TABLE relay_log (
  number INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  at INTEGER NOT NULL,
  node TEXT,
  visit TEXT,
  text TEXT NOT NULL
);
CREATE INDEX relay_log_run ON relay_log (run, number);
CREATE TABLE relay_proposal (
  run TEXT PRIMARY KEY,
  node TEXT NOT NULL,
  visit TEXT NOT NULL,
  report_id TEXT NOT NULL,
  report TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
`,
];
