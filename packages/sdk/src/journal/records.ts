import type { JsonValue } from '../ports/json.js';
import type { ProcessIdentity } from '../process/identity.js';
import type { Spend } from '../run/spend.js';
import type { ClaimRef } from './port.js';

// What a journal keeps of steps and messages: plain data.

export type StepKind = 'run' | 'llm' | 'agent' | 'human' | 'dispatch' | 'hook' | 'sleep' | 'now' | 'uuid' | 'signal' | 'external';

/** A failure as data: what `FlowsError` is rebuilt from. */
export interface StepFailure {
  readonly code: string;
  readonly text: string;
  readonly hint?: string;
  readonly completionReason?: string;
  readonly evidence?: JsonValue;
}

/** A step's result. `value` is absent for steps that resolve with `undefined`. */
export type Outcome = { readonly ok: true; readonly value?: JsonValue } | { readonly ok: false; readonly error: StepFailure };

export interface GateVerdict {
  readonly passed: boolean;
  readonly error?: StepFailure;
}

/** What a step that waits is waiting for. */
export interface Wait {
  /** `human`: an answer to `question`; `timer`: the time `dueAt`; `signal`: a message called `signal`. */
  readonly type: 'human' | 'timer' | 'signal';
  readonly question?: string;
  readonly to?: string;
  readonly dueAt?: number;
  readonly signal?: string;
}

/** What a step is: the same in every record of it. */
export interface StepIdentity {
  /** The place of the step among all steps the run created, from 1. */
  readonly seq: number;
  /** `run-1`, `dispatch-2--run-1`. */
  readonly stepId: string;
  readonly kind: StepKind;
  /** What a person calls the step: the agent's name, the child's, the hook's. */
  readonly label?: string;
  /** 32 hexadecimal digits. */
  readonly fingerprint: string;
  /** The normalized, redacted options. */
  readonly request?: JsonValue;
  /** From 1. */
  readonly attempt: number;
}

/** How a step ended, as far as it has. */
export interface StepResult {
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly outcome?: Outcome;
  readonly gate?: GateVerdict;
  readonly spend?: Spend;
  /** The place of this outcome in the order in which outcomes reached the body, from 1. */
  readonly position?: number;
  /** How many steps the run had created when the outcome reached the body. */
  readonly created?: number;
}

export interface StartedRecord extends ClaimRef, StepIdentity {
  readonly at: number;
  readonly wait?: Wait;
}

export interface ProgressRecord extends ClaimRef {
  readonly seq: number;
  readonly attempt: number;
  /** The whole progress, replacing the previous one. */
  readonly progress: StepProgress;
}

/** What must be known of an attempt if the process dies now. */
export interface StepProgress {
  /** The leaders of the process groups the attempt started and that may be alive. */
  readonly processes?: readonly ProcessIdentity[];
  /** The agent's session, as soon as it is known. */
  readonly sessionId?: string;
  /** Charged so far, earlier attempts included. */
  readonly spend?: Spend;
  /** Attempts that ended in a failure so far. */
  readonly failures?: number;
  /** The last of them. A later attempt that began and has no outcome was in flight. */
  readonly failedAttempt?: number;
  /** Milliseconds of its time limit that this attempt has used, the lost attempts that it repeats included. */
  readonly elapsed?: number;
  /** Not before this time may the next attempt start. */
  readonly retryAt?: number;
  /** How long it was to wait, in milliseconds: after the clock was set back, `retryAt` may be days away. */
  readonly retryAfter?: number;
  /** What a verb keeps for its own continuation. */
  readonly extra?: JsonValue;
}

export interface CompletedRecord extends ClaimRef, StepIdentity, StepResult {}

export interface StepRecord extends StepIdentity, StepResult {
  readonly wait?: Wait;
  readonly progress?: StepProgress;
}

export interface Signal {
  readonly name: string;
  readonly payload: JsonValue;
  readonly at: number;
  /** The step that took it. */
  readonly takenBy?: number;
}
