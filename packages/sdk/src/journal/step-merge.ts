import type { CompletedRecord, ProgressRecord, StartedRecord, StepRecord } from './port.js';

/** What a step's row becomes when the step starts (again). A step that has an outcome has been started for the last time. */
export function mergeStarted(row: StepRecord | undefined, record: StartedRecord): StepRecord {
  if (row?.outcome !== undefined) return row;
  const { runId: _runId, epoch: _epoch, at, ...members } = record;
  return { ...row, ...withoutUndefined(members), startedAt: at };
}

/** What a step's row becomes with new progress: unchanged once it has an outcome, or when the progress belongs to an earlier attempt. */
export function mergeProgress(row: StepRecord, record: ProgressRecord): StepRecord {
  if (row.outcome !== undefined || record.attempt < row.attempt) return row;
  return { ...row, progress: record.progress };
}

/** What a step's row becomes with an outcome, a verdict or its turn. Its place in the order of delivery is final. */
export function mergeCompleted(row: StepRecord | undefined, record: CompletedRecord): StepRecord {
  const { runId: _runId, epoch: _epoch, ...members } = record;
  const { position } = row ?? {};
  return { ...row, ...withoutUndefined(members), ...withoutUndefined({ position }) };
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
