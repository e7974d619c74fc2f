import type { ErrorCode } from '../errors/codes.js';
import type { ErrorEvidence } from '../errors/flows-error.js';
import type { JsonValue } from '../ports/json.js';
import type { RedactionStream } from '../ports/redactor.js';
import type { ProcessIdentity } from '../process/identity.js';
import type { ProcessOutcome, ProcessRequest, StepMarker, SupervisedProcess } from '../process/port.js';
import type { AgentEvent } from '../run/events.js';

/**
 * The agent port: how one kind of coding-agent CLI is asked about itself and driven for one turn.
 *
 * An adapter knows a CLI's switches, its output and its habits. It decides nothing about retries, directories, money or sessions of other steps,
 * it keeps no state between calls, and it starts processes only through the `supervise` it is given. Every implementation passes `agentConformance`.
 */
export interface AgentAdapter {
  /** What messages call it: `claude`, `wrapper`. */
  readonly name: string;
  readonly abilities: AgentAbilities;
  /** The command that installs the CLI, for the hint that it is missing: `npm install -g …`. */
  readonly install?: string;
  /** Whether it drives an executable of this base name (without directories and without `.exe`, `.cmd`, `.bat`). The first adapter that says yes is used. */
  matches(executableName: string): boolean;
  /**
   * Asks the CLI who it is, whether it is signed in and whether it has the model; spends no tokens where the CLI allows that. Throws a `FlowsError`
   * with `cli_unsupported`, `cli_outdated`, `cli_unauthenticated`, `provider_usage_limited`, `model_unavailable`, `model_unknown` or `probe_failed`
   * (no answer within the deadline), whose hint is the command that helps.
   */
  probe(request: ProbeRequest): Promise<AgentIdentity>;
  /**
   * One turn: delivers the task, reports events as they happen, and resolves once the process and its tree are gone. A failing agent is an outcome,
   * never a rejection; a rejection is a bug.
   */
  execute(request: AgentRequest): Promise<AgentTurn>;
}

/** What a CLI can do. A runtime asks for nothing else. */
export interface AgentAbilities {
  /** Whether a session can be continued, and from where. */
  readonly resume: 'no' | 'same_directory' | 'anywhere';
  /** Whether a new session takes the id it is given (a UUID), so that the id is known before the process exists. */
  readonly choosesSessionId: boolean;
  /**
   * The permissions that the CLI's own switches enforce: nothing that the agent can do gets around them, its shell, its subagents and its servers of tools
   * included. What hooks of the user's own settings do is not the agent's. Whoever asks for a permission verifies it afterwards in any case.
   */
  readonly enforces: readonly (keyof AgentPermissions)[];
  /** The model it uses when nobody names one, where that is fixed. */
  readonly defaultModel?: string;
}

export interface AgentPermissions {
  readonly fileGlobs?: readonly string[];
  readonly networkAllowlist?: readonly string[];
  readonly accessPreset?: 'readonly' | 'readwrite';
}

/** Starts a process. `superviseProcess`, or a fake. */
export type Supervise = (request: ProcessRequest) => SupervisedProcess;

export interface ProbeRequest {
  /** Absolute path. */
  readonly executable: string;
  /** The model that will be asked for; absent: only identity and sign-in matter. */
  readonly model?: string;
  /** Absolute path of an existing directory. */
  readonly cwd: string;
  /** The environment of the process that started the run. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly marker: StepMarker;
  readonly supervise: Supervise;
  /** A redaction for each output stream that errors quote. */
  readonly redaction: () => RedactionStream;
  /** Default 10,000 ms for identity and for sign-in, 60,000 ms for a model. */
  readonly deadlines?: ProbeDeadlines;
  readonly signal?: AbortSignal;
}

export interface ProbeDeadlines {
  readonly identityMs?: number;
  readonly signInMs?: number;
  readonly modelMs?: number;
}

/** What a probe found out. `execute` is given it back. */
export interface AgentIdentity {
  /** Absolute path. */
  readonly executable: string;
  readonly version?: string;
  /** Who is signed in or how, for people. Never a secret. */
  readonly account?: string;
  /** The models it offers, where it can list them without a request to its provider. */
  readonly models?: readonly string[];
  /** What the file looked like when it was probed, for an adapter that insists on executing the same one. */
  readonly file?: FileIdentity;
}

/** A file, named so precisely that a replaced or edited one is noticed. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly mode: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

export interface AgentRequest {
  /** `agent`: works in `cwd` with its tools. `llm`: answers only; it gets no tools, keeps no session and must not look at `cwd`. */
  readonly mode: 'agent' | 'llm';
  readonly identity: AgentIdentity;
  /** Delivered byte for byte. It can be megabytes: never through one argument. */
  readonly task: string;
  readonly model?: string;
  /** A JSON Schema of the reply, for a CLI that can be held to one. The reply is verified by the caller in any case. */
  readonly schema?: JsonValue;
  /** Absolute real path. */
  readonly cwd: string;
  /** The environment of the process that started the run. An adapter passes on what its CLI needs of it, and always `runEnv`. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The run variables `RELAYFLOW_*`. */
  readonly runEnv: Readonly<Record<string, string>>;
  readonly marker: StepMarker;
  /** `new`: begin a session with this id (only for an adapter that `choosesSessionId`). `resume`: continue this one. Absent: a new one, whatever its id. */
  readonly session?: { readonly kind: 'new' | 'resume'; readonly id: string };
  readonly permissions?: AgentPermissions;
  /** What woke the run, when an event did. */
  readonly wakeContext?: JsonValue;
  /** Milliseconds until the tree is stopped and the outcome is `timeout`. Absent: no limit. */
  readonly timeoutMs?: number;
  /** How long a CLI may go on after it gave its final result, in milliseconds; then it is stopped and the result stands. Default 30,000. */
  readonly outcomeGraceMs?: number;
  /** Aborting stops the tree; the outcome is `canceled`. */
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly supervise: Supervise;
  /** A redaction for each output stream that is kept. */
  readonly redaction: () => RedactionStream;
  /** Called once, synchronously after the process exists. */
  readonly onSpawn?: (process: ProcessIdentity) => void;
  /** Called with each event in order, texts not redacted. A session id and the model are reported as soon as they are known, usage whenever it changed (totals of this turn). */
  readonly onEvent: (event: AgentEvent) => void;
}

export interface AgentTurn {
  readonly outcome: AgentOutcome;
  /** The session that a later turn can continue. */
  readonly sessionId?: string;
  /** What this turn used, also when it failed; absent when the CLI did not say. */
  readonly usage?: AgentUsage;
  /** The model that answered, where the CLI says so. */
  readonly model?: string;
  /** Facts worth a warning, such as a late exit status after a complete result. */
  readonly warnings: readonly { readonly code: string; readonly text: string }[];
  /** The process behind it; absent when none was started. */
  readonly process?: ProcessOutcome;
}

/** How a turn ended, from the CLI's own record where it keeps one, never from the exit status alone. */
export type AgentOutcome =
  /** The last message of the agent, whole and not redacted. */
  | { readonly class: 'success'; readonly message: string }
  /** The agent, its provider or its settings refused. Repeating it blindly does not help. */
  | ({ readonly class: 'failed'; readonly code: AgentFailureCode; /** When a limit resets, milliseconds since the epoch. */ readonly resetsAt?: number; /** The session to continue does not exist, or not in this directory: a new one is needed. */ readonly sessionUnknown?: true } & AgentFailure)
  /** The connection to the agent was lost: killed by a signal, closed without a status, a passing failure to start, a broken input. */
  | ({ readonly class: 'lost' } & AgentFailure)
  /** Stopped at `timeoutMs`. `message` is the last thing it said. */
  | { readonly class: 'timeout'; readonly message?: string }
  | { readonly class: 'canceled' };

export type AgentFailureCode = Extract<
  ErrorCode,
  'worker_error' | 'cli_missing' | 'cli_unauthenticated' | 'cli_unsupported' | 'cli_outdated' | 'provider_usage_limited' | 'provider_unavailable' | 'model_unavailable' | 'model_unknown'
>;

export interface AgentFailure {
  /** One sentence on what happened; never blank. */
  readonly text: string;
  readonly hint?: string;
  /** Redacted where it quotes output. */
  readonly evidence?: ErrorEvidence;
}

export interface AgentUsage {
  /** Everything that was read, what came from the provider's cache included. */
  readonly inputTokens: number;
  /** Everything that was written, thinking included. */
  readonly outputTokens: number;
  /** Those of `inputTokens` that came from the provider's cache, which costs less. For a CLI that does not state its cost. */
  readonly cachedInputTokens?: number;
  /** Whole micro-dollars, where the CLI itself states the cost. */
  readonly microDollars?: number;
}
