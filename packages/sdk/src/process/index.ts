// Starting processes of one's own, with everything that comes of them.
import { guarded } from './host-guard.js';
import type { ProcessRequest, SupervisedProcess } from './port.js';
import { superviseProcess } from './supervise.js';

export { superviseProcess };

/** As {@link superviseProcess}; the process is stopped also when this one is killed. */
export const superviseGuarded: (request: ProcessRequest) => SupervisedProcess = guarded(superviseProcess);

export type { CapturedStream, ProcessOutcome, ProcessRequest, StepMarker, StopReason, StreamRequest, SupervisedProcess } from './port.js';

// Which process is meant, and whether it lives.
export { identityOf, isAlive, isOfAnotherBoot, ownIdentity, type ProcessIdentity } from './identity.js';

// Stopping what was left.
export { killAllNow } from './live.js';
export type { SweepResult } from './ladder.js';
export { sweepGroup, sweepRun, sweepStep } from './sweep.js';
