// Journals.
export { createMemoryJournal, createMemoryStore, type MemoryStore } from './memory.js';
export { openSqliteJournal, type SqliteJournalOptions } from './sqlite/open.js';

// Tables of a host beside a journal.
export { openDatabase, type HostDatabase, type HostParameter, type HostRow, type HostStatement } from './sqlite/host-database.js';

// What every journal passes.
export { journalConformance, type JournalConformanceOptions, type JournalSetUp } from './conformance.js';
export type {
  Claim, ClaimRef, CompletedRecord, Completion, FinishedStatus, GateVerdict, Journal, ListFilter, NewRun, Outcome, OwnerIdentity, ProgressRecord, RunRecord, RunStatus,
  Signal, SourceRef, StaleRuns, StartedRecord, StepFailure, StepIdentity, StepKind, StepProgress, StepRecord, StepResult, StoredSource, Wait,
} from './port.js';
