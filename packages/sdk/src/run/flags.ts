import { FlowsError } from '../errors/flows-error.js';

/**
 * Engine behaviours that can change a replay, each with a number that is never reused. A run stores the numbers it was recorded with, and a
 * replay follows them. A change of behaviour gets a new number here and keeps the old code path for runs without it.
 */
export const ENGINE_FLAGS = {
  /** Outcomes reach the body one at a time, each followed by a drain of the microtask queue; `created` gates every delivery. */
  orderedDelivery: 1,
} as const;

/** What a new run is recorded with. */
export const CURRENT_FLAGS: readonly number[] = Object.values(ENGINE_FLAGS);

/** Refuses a run recorded by a behaviour this version does not have. */
export function assertKnownFlags(runId: string, flags: readonly number[]): void {
  const unknown = flags.filter((flag) => !CURRENT_FLAGS.includes(flag));
  if (unknown.length === 0) return;
  throw new FlowsError('engine_flag_unknown', `Run ${runId} was recorded with engine behaviour ${unknown.join(', ')}, which this version does not have.`, {
    hint: 'Resume it with the version that started it, or a newer one.',
    runId,
    evidence: { flags: [...flags], known: [...CURRENT_FLAGS] },
  });
}
