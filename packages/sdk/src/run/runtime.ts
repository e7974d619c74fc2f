import type { FlowHandle } from '@relayflows/surface';
import type { SealedFlow } from '../flow/sealed.js';
import type { Journal, RunStatus, StepRecord, RunRecord } from '../journal/port.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { JsonValue } from '../ports/json.js';
import type { Redactor } from '../ports/redactor.js';
import type { Shell } from '../process/port.js';
import type { PriceOf } from '../agents/charge.js';
import type { AgentAdapter } from '../agents/port.js';
import type { RunEvent } from './events.js';
import type { RunReport } from './report.js';

/** Every port has a default and a fake. Nothing in the runtime reads `process.env`, the clock or the disk behind a port's back. */
export interface RuntimeOptions {
  /** Absolute path; relative ones are resolved against the current directory. Default `.relayflowd` in the current directory. */
  readonly dataDir?: string;
  /** Default: SQLite in `<dataDir>/journal.sqlite3`, opened on first use. */
  readonly journal?: Journal;
  /** Only look: the default journal is opened without creating or changing anything, so `status`, `list` and `findRun` work where nothing may be written. */
  readonly readOnly?: boolean;
  readonly shell?: Shell;
  /** Adapters tried before the built-in ones. */
  readonly agents?: readonly AgentAdapter[];
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly redact?: Redactor;
  /** The environment that steps inherit and whose secrets are redacted. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called with every event of every run, in order. Must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Flows that runs may name instead of carrying their source. The key is the name given to `run`. */
  readonly flows?: Readonly<Record<string, { readonly version: string; readonly flow: FlowHandle; readonly children?: readonly FlowHandle[] }>>;
  /** What `f.hook(name)` asks: all implementations are ANDed in order. */
  readonly hooks?: Readonly<Record<string, HookImplementation | readonly HookImplementation[]>>;
  /** Agents at once, 1 to 32; model calls are counted apart with the same limit. Default 4. */
  readonly agentCapacity?: number;
  /** What a model costs, for agents that do not state it. Default: the list prices in the SDK's table, which says how old they are. */
  readonly priceOf?: PriceOf;
  /** Milliseconds that replay waits for a body to create a step before it is a mismatch. Default 10,000. */
  readonly replayStallMs?: number;
  /** Sleeps up to this many milliseconds keep the body in memory. Default 10,000. */
  readonly parkAfterMs?: number;
  /**
   * How many milliseconds a run that waits for a message stays in memory before it parks, and how many such runs at most: for a host whose runs are written to often,
   * since a run that parked repeats its history. Default: none stays.
   */
  readonly stay?: { readonly forMs: number; readonly atMost: number };
  /** The process exists for its one run: any rejection that nobody handles is that run's failure, and so is a body that waits for nothing. Default false. */
  readonly ownsProcess?: boolean;
}

export type HookImplementation = (input: JsonValue) => boolean | Promise<boolean>;

export interface RunRequest {
  /**
   * The id of the run: 1 to 512 characters, no control characters; it is not redacted. `run_exists` when there is such a run. Processes of a run are found by
   * it on the whole machine, so hosts with journals of their own must not choose the same. Default: a new one of lower-case letters and digits.
   */
  readonly id?: string;
  /** JSON; redacted once, before the first execution. */
  readonly input?: unknown;
  /** The directory steps run in. Default: the current directory. */
  readonly cwd?: string;
  /** Aborting cancels the run. */
  readonly signal?: AbortSignal;
}

export interface ResumeRequest {
  readonly signal?: AbortSignal;
  /** Run this source instead of the stored one; the journal must fit it. */
  readonly flow?: SealedFlow;
  /** What to do with a step that `onCrash: 'park'` stopped at. */
  readonly release?: { readonly stepId: string; readonly decision: 'rerun' | 'fail' };
}

export interface RunHandle {
  /** Known at once. */
  readonly id: string;
  /** Resolves when the run is durable and owned; rejects with a `FlowsError` when it was refused. */
  readonly created: Promise<void>;
  /** Every event from the beginning, for as many readers as there are; ends when the run rests. Keeps the newest 10,000. */
  readonly events: AsyncIterable<RunEvent>;
  /** Resolves when the run rests: it ended, or waits for a person. Rejects with a `FlowsError` when it was refused. A sleeping run wakes up by itself. */
  readonly result: Promise<RunReport>;
  /** Stops the run for good; `result` then reports `canceled`. */
  cancel(): Promise<void>;
  /** Stops the run in good order so that it can be resumed; `result` then reports `interrupted`. */
  interrupt(): Promise<void>;
}

export interface AnswerRequest {
  /** The run's id. */
  readonly runId: string;
  /** `human-<n>`. */
  readonly waitId: string;
  readonly answer: boolean;
  readonly note?: string;
  readonly answeredBy: string;
}

export interface SignalRequest {
  readonly runId: string;
  /** What `f.signal` waits for: 1 to 512 characters, no control characters. `cancel` and what begins with `run:` or `answer:` is reserved. Not redacted. */
  readonly name: string;
  /** JSON; redacted. */
  readonly payload: JsonValue;
  /** A message is not accepted when the run was sent one of this name before, taken or not. Default false. */
  readonly once?: boolean;
}

export interface Runtime {
  /** Opens the journal now instead of on first use. Throws what opening throws. */
  ready(): Promise<void>;
  /** Starts a run. Returns at once; see {@link RunHandle.created}. */
  run(flow: SealedFlow | FlowHandle | string, request?: RunRequest): RunHandle;
  /** Executes a run from its journal until it rests again. Resuming a finished run reports it again without doing anything. */
  resume(runId: string, request?: ResumeRequest): RunHandle;
  /** Records the first answer to an open question. Does not resume the run. Throws `human_wait_unknown`, `run_not_found`. */
  answer(request: AnswerRequest): Promise<void>;
  /**
   * Puts a message into a run's mailbox, whether or not it waits for it yet, and wakes the run when this runtime executes it. Resolves once that is durable.
   * Does not resume a parked run. Throws `run_not_found`, `run_finished`, `invalid_invocation`, `input_invalid`.
   */
  signal(request: SignalRequest): Promise<{ readonly accepted: boolean }>;
  /** Cancels a run wherever it is: here, in another process, or at rest. Resolves once the request is durable, and for a run here or at rest once it ended. */
  cancel(runId: string): Promise<void>;
  /** Reads the journal only. */
  status(runId: string): Promise<RunStatusView>;
  list(filter?: { readonly statuses?: readonly RunStatus[]; readonly flowName?: string; readonly limit?: number }): Promise<readonly RunRecord[]>;
  /** The full id of a run from its beginning. Throws `run_not_found`, `run_ambiguous`. */
  findRun(idPrefix: string): Promise<string>;
  /** Interrupts the runs it executes and closes what it opened. */
  close(): Promise<void>;
}

export interface RunStatusView {
  readonly run: RunRecord;
  readonly report: RunReport;
  readonly steps: readonly StepRecord[];
  /** Whether the process that owns the run is alive; absent when nobody owns it or it cannot be told. */
  readonly ownerAlive?: boolean;
}
