// Journals.
export { createMemoryJournal, createMemoryStore, type MemoryStore } from './memory.js';
export { openSqliteJournal, type SqliteJournalOptions } from './sqlite/open.js';
export type { FileJournal } from './sqlite/journal.js';

// Tables of a host beside a journal.
export { openDatabase } from './sqlite/host-database.js';
export type { HostDatabase, HostParameter, HostRow, HostStatement } from './sqlite/host-tables.js';

// What every journal passes.
export { journalConformance, type JournalConformanceOptions, type JournalSetUp } from './conformance.js';
export type {
  Claim, ClaimRef, CompletedRecord, Completion, FinishedStatus, GateVerdict, Journal, ListFilter, NewRun, Outcome, OwnerIdentity, ProgressRecord, RunRecord, RunStatus,
  Signal, SourceRef, StaleRuns, StartedRecord, StepFailure, StepIdentity, StepKind, StepProgress, StepRecord, StepResult, StoredSource, Wait,
} from './port.js';
