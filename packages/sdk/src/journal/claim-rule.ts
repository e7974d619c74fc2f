import type { OwnerIdentity, RunRecord } from './port.js';
import { runFinished, runOwned } from './refusals.js';

export interface ClaimState {
  readonly runId: string;
  readonly status: RunRecord['status'];
  readonly epoch: number;
  readonly owner: OwnerIdentity | undefined;
  readonly leaseUntil: number | undefined;
}

export interface ClaimAttempt {
  readonly owner: OwnerIdentity;
  readonly now: number;
  readonly takeOver?: number;
}

/**
 * Whether a run may change hands. Returns the owner who is displaced, if any; throws `run_finished` or `run_owned`.
 *
 * A lease counts only between hosts: on one host the caller can prove an owner dead, and says so with `takeOver`. The proof names the epoch it is
 * about, so that it cannot displace an owner who came later.
 */
export function decideClaim(state: ClaimState, attempt: ClaimAttempt): OwnerIdentity | undefined {
  if (isFinished(state.status)) throw runFinished(state.runId, state.status);
  if (state.owner === undefined) return undefined;
  const provedDead = attempt.takeOver === state.epoch;
  const leaseEnded = state.leaseUntil !== undefined && state.leaseUntil < attempt.now && state.owner.host !== attempt.owner.host;
  if (!provedDead && !leaseEnded) throw runOwned({ ...state, owner: state.owner });
  return state.owner;
}

export function isFinished(status: RunRecord['status']): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}
