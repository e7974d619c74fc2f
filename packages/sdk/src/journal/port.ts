import type { JsonValue } from '../ports/json.js';
import type { ProcessIdentity } from '../process/identity.js';
import type { CompletedRecord, ProgressRecord, Signal, StartedRecord, StepFailure, StepRecord } from './records.js';

/**
 * The journal port: where a run is remembered.
 *
 * It stores and fences; it decides nothing. It carries no SQL and no engine types, and every implementation passes `journalConformance`.
 *
 * Invariants:
 * 1. A run has at most one owner. `claim` raises the run's epoch; a write that carries an older epoch, or whose claim was ended by `park` or `finish`,
 *    is stale and refused by the journal.
 * 2. `createRun`, `completed`, `signal`, `takeSignal`, `finish`, `park`, `continueAs`, `adoptSource`, `claim` and a durable `started` survive power loss once their promise resolves.
 *    `started`, `progressed` and `heartbeat` survive the death of the process, not of the machine.
 * 3. A batch is one commit. A record of a stale owner is left out and named in the answer, the other records are written.
 * 4. One row per step, keyed by run and `seq`: writing a step again updates it.
 * 5. Calls take effect in the order in which they are made, also when their promises are not awaited.
 * 6. What is given is copied as JSON: members that are `undefined` are absent when read, and later changes by the caller do not matter.
 * 7. Every method may throw `journal_busy`, `journal_full`, `journal_io` or `journal_corrupt`; what was stored before is then unchanged,
 *    and the journal can be used again once the cause has gone. After `close` every method throws `journal_unavailable`.
 */
export interface Journal {
  /** Stores a new run and its first claim (epoch 1) in one commit, and the source under its digest unless it is stored already. Throws `run_exists`. */
  createRun(args: { readonly run: NewRun; readonly source?: StoredSource; readonly owner: OwnerIdentity; readonly leaseUntil: number }): Promise<Claim>;

  /**
   * Takes ownership of a run. Succeeds when nobody owns it, when the owner's lease ended before `now` and the owner is on another host, or when
   * `takeOver` is the current epoch: the caller has proved that owner dead. Otherwise throws `run_owned` with the owner as evidence.
   * Throws `run_not_found`. A finished run is claimed by nobody: `run_finished`. The run becomes `running` and forgets its `wakeAt`.
   */
  claim(args: { readonly runId: string; readonly owner: OwnerIdentity; readonly now: number; readonly leaseUntil: number; readonly takeOver?: number }): Promise<Claim>;

  /** Extends leases. Answers with the runs whose claim is stale. */
  heartbeat(args: { readonly claims: readonly ClaimRef[]; readonly leaseUntil: number }): Promise<StaleRuns>;

  /** All steps of a run in the order of `seq`; empty for an unknown run. Needs no claim. */
  history(args: { readonly runId: string }): Promise<readonly StepRecord[]>;

  /**
   * A step begins, or begins another attempt, which keeps the progress of the one before. A step that has an outcome is left as it is. `durable` for
   * waits, whose beginning must not be forgotten.
   */
  started(args: { readonly records: readonly StartedRecord[]; readonly durable: boolean }): Promise<StaleRuns>;

  /** What is known of an attempt so far. A step that has no row yet, that has an outcome, or that is in a later attempt is left as it is. */
  progressed(args: { readonly records: readonly ProgressRecord[] }): Promise<StaleRuns>;

  /**
   * Outcomes, gate verdicts and delivery positions. Called once for most steps; a step that waits for its gate or its turn is called again with the
   * rest. Members that are absent keep what is stored. `position` once stored is never changed; `created` may be corrected.
   */
  completed(args: { readonly records: readonly CompletedRecord[] }): Promise<StaleRuns>;

  /**
   * Puts a message into a run's mailbox, whether or not somebody waits for it. With `once`, a second message of the same name is not accepted.
   * Needs no claim. Throws `run_not_found`; a finished run is `run_finished`.
   */
  signal(args: { readonly runId: string; readonly name: string; readonly payload: JsonValue; readonly at: number; readonly once: boolean }): Promise<{ readonly accepted: boolean }>;

  /**
   * The oldest message of this name not taken by another step, assigned to step `seq` for good; the same message again when asked again for the
   * same step. `undefined` when there is none. Throws `stale_owner`.
   */
  takeSignal(args: ClaimRef & { readonly name: string; readonly seq: number }): Promise<Signal | undefined>;

  /** Messages that no step has taken yet, oldest first; empty for an unknown run. Needs no claim. */
  signals(args: { readonly runId: string }): Promise<readonly Signal[]>;

  /** Ends the claim and leaves the run waiting (`parked`) or stopped in good order (`interrupted`). Throws `stale_owner`. */
  park(args: ClaimRef & { readonly status: 'parked' | 'interrupted'; readonly wakeAt?: number; readonly at: number }): Promise<void>;

  /**
   * The run begins again with another input, in one commit: its steps are gone, and so are the messages taken by steps that have a position; a message taken
   * by any other step is free again. Messages named in `forget` go as well. The claim ends and the run is `interrupted`, without a `wakeAt`.
   * What the removed steps were charged no longer counts in `charged`. Throws `stale_owner`.
   */
  continueAs(args: ClaimRef & { readonly input: JsonValue; readonly forget: readonly string[]; readonly at: number }): Promise<void>;

  /** The verdict of a run, for good; the claim ends. Throws `stale_owner`. */
  finish(args: ClaimRef & { readonly status: FinishedStatus; readonly completion: Completion; readonly at: number }): Promise<void>;

  /** One run, or `undefined`. */
  run(args: { readonly runId: string }): Promise<RunRecord | undefined>;

  /** Runs that fit every member given, the one created last first. */
  list(args: ListFilter): Promise<readonly RunRecord[]>;

  /** The source stored under a digest, or `undefined`. */
  source(args: { readonly digest: string }): Promise<StoredSource | undefined>;

  /** The run executes another source from now on; stored like `createRun` does. Throws `stale_owner`. */
  adoptSource(args: ClaimRef & { readonly ref: SourceRef; readonly source: StoredSource }): Promise<void>;

  /** Marks a run as altered by a person. Needs no claim. Throws `run_not_found`. */
  markHumanInfluenced(args: { readonly runId: string }): Promise<void>;

  /** Deletes runs that have ended, with their steps and messages, in one durable commit; others are left as they are. Sources stay. Answers with the ids of those deleted. */
  remove(args: { readonly runIds: readonly string[] }): Promise<readonly string[]>;

  /** Money charged to runs of a flow by outcomes that ended at or after `since`, in micro-dollars. */
  charged(args: { readonly flowName: string; readonly since: number }): Promise<number>;

  /** Calls back after another process, or another journal object, may have changed what is stored; calls for no reason are allowed. The answer stops it. */
  onForeignChange(listener: () => void): () => void;

  /** Flushes and closes. Calling it twice is allowed. */
  close(): Promise<void>;
}

export interface ListFilter {
  readonly statuses?: readonly RunStatus[];
  readonly flowName?: string;
  /** Finds abbreviated ids. */
  readonly idPrefix?: string;
  /** Those parked with a `wakeAt` up to this time. */
  readonly wakeBefore?: number;
  readonly limit: number;
}

export interface ClaimRef {
  readonly runId: string;
  readonly epoch: number;
}

export interface Claim extends ClaimRef {
  readonly run: RunRecord;
  /** Who was displaced, when the run was taken over. */
  readonly previousOwner?: OwnerIdentity;
}

/** Runs whose records were refused because their epoch is no longer the current one. */
export interface StaleRuns {
  readonly stale: readonly string[];
}

/** The process that executes a run, precise enough to prove it dead. */
export interface OwnerIdentity extends ProcessIdentity {
  /** Host name. */
  readonly host: string;
  /** One per runtime instance, so that two in one process are two owners. */
  readonly token: string;
}

export type FinishedStatus = 'completed' | 'failed' | 'canceled';
export type RunStatus = 'running' | 'parked' | 'interrupted' | FinishedStatus;

/** Which source a run executes: a bundle kept in the journal, or a flow that the host registered by name. */
export type SourceRef =
  | { readonly kind: 'sealed'; readonly digest: string; readonly path: string }
  | { readonly kind: 'registered'; readonly name: string; readonly version: string };

/** A sealed bundle as text (JSON, written by `flow/seal.ts`), content-addressed. */
export interface StoredSource {
  /** sha256 in hexadecimal. */
  readonly digest: string;
  readonly content: string;
}

export interface NewRun {
  readonly id: string;
  readonly flowName: string;
  readonly flowVersion?: string;
  readonly source: SourceRef;
  /** Redacted. */
  readonly input: JsonValue;
  /** Absolute path of the directory the run was started from. */
  readonly cwd: string;
  readonly createdAt: number;
  /** Numbers of the engine behaviours the run was recorded with; see `run/flags.ts`. */
  readonly flags: readonly number[];
}

export interface RunRecord extends NewRun {
  readonly status: RunStatus;
  readonly epoch: number;
  readonly owner?: OwnerIdentity;
  readonly leaseUntil?: number;
  /** When the run was created, claimed, parked or finished last. Steps and messages do not count. */
  readonly updatedAt: number;
  readonly wakeAt?: number;
  readonly completion?: Completion;
  readonly humanInfluenced: boolean;
}

/** How a run ended. */
export interface Completion {
  /** One of `FLOW_COMPLETION_REASONS`. */
  readonly reason: string;
  /** The author's text given to `done`, at most 2,000 code points. */
  readonly detail?: string;
  /** The first cause of a failure. */
  readonly error?: StepFailure;
  /** The step at which `error` happened. */
  readonly stepId?: string;
  /** The number that `done` took, for `complete-<n>`. */
  readonly marker?: number;
}

export type { StepKind, StepFailure, Outcome, GateVerdict, Wait, StepIdentity, StepResult, StartedRecord, ProgressRecord, StepProgress, CompletedRecord, StepRecord, Signal } from './records.js';
