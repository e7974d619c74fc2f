import type { ErrorCode } from '../errors/codes.js';
import type { AgentEvent } from './events.js';
import type { Outcome, StepFailure, StepKind, StepProgress, Wait } from '../journal/port.js';
import type { Spend } from './spend.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { JsonValue } from '../ports/json.js';
import type { Redactor } from '../ports/redactor.js';
import type { Shell, StepMarker } from '../process/port.js';

/**
 * What a verb lowers a call to: plain data for the journal and a way to make it happen. Making one has no effect.
 *
 * A verb checks its options while it lowers (a wrong one throws at the call), so that an executor never sees an impossible step.
 */
export interface StepSpec {
  readonly kind: StepKind;
  /** What a person calls the step: the agent's name, the child's, the hook's. */
  readonly label?: string;
  /** The normalized options: everything that changes the effect, with defaults left out. The executor redacts it and takes the fingerprint from it. */
  readonly request?: JsonValue;
  readonly action: StepAction;
}

export type StepAction =
  /** A value made on the spot. It has no effect outside, so it needs no start record. */
  | { readonly mode: 'value'; readonly produce: (ports: { readonly clock: Clock; readonly ids: Ids }) => JsonValue }
  /** Something done to the world. */
  | EffectAction
  /** Waiting for a time, an answer or a message. Charges nothing. */
  | { readonly mode: 'wait'; readonly wait: (now: number) => Wait }
  /** A child flow, executed in the same run with the `input` of the request. */
  | { readonly mode: 'child'; readonly flowName: string };

export interface EffectAction {
  readonly mode: 'effect';
  /** What to do with a step that was in flight when the process died. Default `rerun`. */
  readonly onCrash?: 'rerun' | 'fail' | 'park';
  /** Whether it may start processes that carry the marker of the run, which are looked for when the run rests. Default true. */
  readonly spawns?: boolean;
  /** The time limit of an attempt in milliseconds; `AttemptContext.timeoutMs` is what a crash left of it. */
  readonly timeoutMs?: number;
  /** A repeated attempt gets what the failed ones left of the limit, at least a minute, rather than all of it again. */
  readonly timeoutSpansAttempts?: boolean;
  /** Decides, purely, whether a failed attempt is followed by another. Absent: never. */
  readonly retry?: (failure: StepFailure, attempt: number) => { readonly delayMs: number } | undefined;
  /** Does it. Throws only `FlowsError`; anything else is a bug and fails the step as `worker_error`. */
  readonly execute: (attempt: AttemptContext) => Promise<AttemptResult>;
}

export interface AttemptResult {
  readonly outcome: Outcome;
  /** Every text in `outcome` went through the redactor already. */
  readonly redacted?: true;
  /** Tokens and money. The executor measures the wall clock itself. */
  readonly spend?: Omit<Spend, 'wallclock'>;
  /** The exit status of the process behind it, for reports. */
  readonly exitCode?: number;
}

/** What one attempt of an effect is given. */
export interface AttemptContext {
  readonly run: RunFacts;
  readonly stepId: string;
  readonly marker: StepMarker;
  /** From 1. */
  readonly attempt: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly shell: Shell;
  readonly redact: Redactor;
  /** Aborted when the run is canceled, when the body ended without this step, or when the host stops. */
  readonly signal: AbortSignal;
  /** What is left of the step's time limit. After a crash at least 60 s. */
  readonly timeoutMs?: number;
  /** What an earlier attempt recorded: of a crash when `resumed`, of a failed attempt otherwise. */
  readonly previous?: StepProgress;
  /** This attempt repeats one that was lost with its process. */
  readonly resumed: boolean;
  /** The failure that the attempt before this one ended with. */
  readonly previousFailure?: StepFailure;
  /** Merges into the attempt's progress record, which is committed within the same turn of the event loop. Spend given here excludes earlier attempts. */
  progress(update: StepProgress): void;
  /** Waits for the attempt's turn at something shared. The time it takes is not charged and not taken off the time limit. */
  turn<T>(acquire: () => Promise<T>): Promise<T>;
  /** A piece of output, redacted, for live views. */
  output(stream: 'stdout' | 'stderr', text: string): void;
  agent(event: AgentEvent): void;
  /** A warning: reported at the end, never changes the verdict. */
  warn(code: string, text: string): void;
  /**
   * Other steps of this run that ran a command or an agent at any time since `at` (milliseconds since the epoch), those of a lost process included, and
   * those that wait for their turn. Absent: not known.
   */
  readonly stepsSince?: (at: number) => readonly OtherStep[];
  /** The directory that the step's `cwd` names, absolute and real; without one the run's. Throws `code`, default `cwd_not_allowed`, when it cannot be used. */
  directory(options: { readonly cwd: string | undefined; readonly code?: ErrorCode }): string;
  /** Absolute path of a file for this attempt: `<data-dir>/runs/<run>/steps/<step>/attempt-<n>.<suffix>`. Creates nothing. */
  file(suffix: string): string;
}

export interface OtherStep {
  readonly stepId: string;
  readonly kind: 'run' | 'agent';
  /** As it was given in the step's options. */
  readonly cwd?: string;
}

export interface RunFacts {
  readonly runId: string;
  readonly flowName: string;
  /** Absolute, real path of the directory the run was started from. */
  readonly cwd: string;
  /** Absolute path. */
  readonly dataDir: string;
  /** The environment of the process that started the run, as the `environment` port gave it. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}
