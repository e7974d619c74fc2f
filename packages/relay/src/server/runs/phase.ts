import type { StoredRun } from '../../store/rows.js';
import type { RunPhase } from '../answers.js';

/** What is known of a visit that waits, beside its run's row. */
export interface VisitFacts {
  /** Its report: waits for a person to decide, or was taken and moves the run at once. */
  readonly reported?: 'proposed' | 'taken' | undefined;
  /** Its agent is in line: all places for agents are taken. */
  readonly queued?: boolean;
}

/** What a run is waiting for, or does. Pure. */
export function phaseOf({ state, retry }: Pick<StoredRun, 'state' | 'retry'>, { reported, queued = false }: VisitFacts): RunPhase {
  if (state === 'starting' || state === 'running') return retry === null ? state : 'retrying';
  if (state !== 'waiting') return state;
  if (reported !== undefined) return reported === 'proposed' ? 'person' : 'running';
  // Its agent may use the model again later, and waits for that.
  if (retry !== null) return 'retrying';
  return queued ? 'queued' : 'agent';
}
