// Journals.
export { createMemoryJournal, createMemoryStore, type MemoryStore } from './memory.js';
export { openSqliteJournal, type SqliteJournalOptions } from './sqlite/open.js';

// What every journal passes.
export { journalConformance, type JournalConformanceOptions, type JournalSetUp } from './conformance.js';
export type * from './port.js';
