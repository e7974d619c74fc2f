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
