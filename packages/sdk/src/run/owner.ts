import { hostname } from 'node:os';
import { FlowsError } from '../errors/flows-error.js';
import type { OwnerIdentity, RunRecord } from '../journal/port.js';
import { isAlive, isOfAnotherBoot, ownIdentity } from '../process/identity.js';

/** This process as the owner of runs. `token` tells two runtimes in one process apart. */
export function describeSelf(token: string): OwnerIdentity {
  return { ...ownIdentity(), host: hostname(), token };
}

/**
 * Whether the owner of a run lives: `undefined` when it cannot be told from here, which is so for another host; its lease decides then.
 */
export function ownerAlive(owner: OwnerIdentity): boolean | undefined {
  if (owner.host !== hostname()) return undefined;
  return isOfAnotherBoot(owner) ? false : isAlive(owner);
}

/** The epoch that may be taken over because its owner is proved dead, or `undefined`. */
export function takeOverEpoch(run: RunRecord): number | undefined {
  return run.owner !== undefined && ownerAlive(run.owner) === false ? run.epoch : undefined;
}

/** A refusal for a run that somebody else executes. */
export function ownedByOther(run: RunRecord): FlowsError {
  const { owner } = run;
  return new FlowsError('run_owned', `Run ${run.id} is being executed by process ${owner?.pid ?? '?'} on ${owner?.host ?? 'another host'}.`, {
    hint: `Follow it with \`flows logs ${run.id} --follow\`, or stop that process first.`,
    runId: run.id,
    evidence: { owner: owner === undefined ? null : { pid: owner.pid, host: owner.host } },
  });
}
