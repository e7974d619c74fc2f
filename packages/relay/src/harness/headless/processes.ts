import { createHash } from 'node:crypto';
import { superviseGuarded, sweepGroup, sweepRun, type ProcessIdentity, type ProcessRequest, type StepMarker, type SupervisedProcess } from '@relayflows/sdk/process';

/** What the executor needs of the machine. */
export interface ProcessPort {
  /** Starts a process that ends with this one, however this one ends. */
  readonly supervise: (request: ProcessRequest) => SupervisedProcess;
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

export const hostProcesses: ProcessPort = { supervise: superviseGuarded, sweepGroup, sweepRun };

export interface MarkedVisit {
  /** The folder of the home, as the server names it at each of its starts. */
  readonly home: string;
  readonly runId: string;
  readonly visitId: string;
}

/**
 * What the processes of a visit are marked with. The journal ends whatever carries the id of a run when that run parks, which it does while its agent works:
 * so the marker has a name of its own. The id of a visit stays inside the server, so a digest of it stands there; of the home too, since the servers of
 * two homes may have tickets, and so runs and visits, of the same names.
 */
export function markerOf(visit: MarkedVisit, turn: number): StepMarker {
  return { runId: markerRun(visit), stepId: 'turn', attempt: turn };
}

export function markerRun({ home, runId, visitId }: MarkedVisit): string {
  return `relay-flow:${runId}/${createHash('sha256').update(`${home}\0${visitId}`).digest('hex').slice(0, 16)}`;
}
