import { createHash } from 'node:crypto';
import type { Supervise } from '@relayflows/sdk/agents';

type ProcessRequest = Parameters<Supervise>[0];

/** A process named so precisely that a later one of the same number is not taken for it. */
export type ProcessIdentity = NonNullable<ReturnType<Supervise>['identity']>;

/** What the executor needs of the machine. */
export interface ProcessPort {
  /** Starts a process that ends with this one, however this one ends. */
  readonly supervise: Supervise;
  /** Ends the group of a process that an earlier server started. Does nothing when its number belongs to somebody else by now. */
  readonly sweepGroup: (identity: ProcessIdentity, options: { readonly runId: string; readonly graceMs: number }) => Promise<Swept>;
  /** Ends every process whose marker names this run, or a run below it. */
  readonly sweepRun: (runId: string, options: { readonly graceMs: number }) => Promise<Swept>;
}

export interface Swept {
  readonly stopped: readonly { readonly pid: number }[];
  /** Alive even after KILL. */
  readonly survivors: readonly number[];
}

/**
 * What the processes of a visit are marked with. The journal ends whatever carries the id of a run when that run parks, which it does while its agent works:
 * so the marker has a name of its own. The id of a visit stays inside the server, so a digest of it stands there.
 */
export function markerOf({ runId, visitId }: { readonly runId: string; readonly visitId: string }, turn: number): ProcessRequest['marker'] {
  return { runId: markerRun(runId, visitId), stepId: 'turn', attempt: turn };
}

export function markerRun(runId: string, visitId: string): string {
  return `relay-flow:${runId}/${createHash('sha256').update(visitId).digest('hex').slice(0, 16)}`;
}
