import type { AgentFailureCode, AgentUsage } from '../agents/port.js';
import type { JsonValue } from '../ports/json.js';

/** Milliseconds, or a text such as `'90s'`, `'15m'` or `'2h'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

interface AnyCall {
  /** The step: `run-3`, and `run-3.gate` for the command of its gate. */
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds of simulated time since the run began. */
  readonly start: number;
}

/** A shell command that the flow runs. */
export interface RunCall extends AnyCall {
  readonly kind: 'run';
  readonly command: string;
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the directory of the run, `.` for that directory itself. */
  readonly cwd: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** What the command can read, for a gate with `from_output`. */
  readonly stdin?: string;
}

/** One turn of a coding agent. */
export interface AgentCall extends AnyCall {
  readonly kind: 'agent';
  /** As given to `f.agent`. */
  readonly name: string;
  /** As the agent is told it: a repeated attempt may be told what happened before. */
  readonly task: string;
  readonly cli: string;
  readonly model?: string;
  /** Relative to the directory of the run, `.` for that directory itself. */
  readonly cwd: string;
  /** Milliseconds. */
  readonly timeout?: number;
  /** The session that it continues. */
  readonly resume?: string;
}

/** A question to a model. */
export interface LlmCall extends AnyCall {
  readonly kind: 'llm';
  readonly prompt: string;
  readonly cli: string;
  readonly model?: string;
  /** The JSON Schema that the reply must fit. */
  readonly output?: JsonValue;
}

/** A question to a person. Asked once, however often the run is resumed. */
export interface HumanCall extends AnyCall {
  readonly kind: 'human';
  readonly question: string;
  readonly to: string;
}

export type Call = RunCall | AgentCall | LlmCall | HumanCall;

type KeyOf<T> = T extends unknown ? keyof T : never;
/** Each member of a union without the keys of the others. */
type Either<T, All = T> = T extends unknown ? T & { readonly [K in Exclude<KeyOf<All>, keyof T>]?: never } : never;

/** How long it took. Default 0. Longer than the timeout of the step: it is stopped at the timeout. */
interface Taking {
  readonly takes?: Duration;
}

interface Killed extends Taking {
  /** The signal that something outside of the flow ended it with. An agent is lost by it. */
  readonly signal: `SIG${string}`;
}

interface Crash extends Taking {
  /** The process that runs the flow dies after `takes`, while the call is under way, and the run is resumed. */
  readonly crash: true;
}

interface Files {
  /** Files that it leaves, relative to its directory: what `artifact_exists` finds from then on. */
  readonly artifacts?: readonly string[];
}

interface RunOutput {
  readonly stdout?: string;
  readonly stderr?: string;
}

/** What a command did; a text alone is its standard output. */
export type RunAnswer =
  | string
  | Either<
    | (Taking & RunOutput & Files & {
      /** From 0 to 255. Default 0. */
      readonly exitCode?: number;
    })
    | (Killed & RunOutput)
    | (Taking & {
      /** Why it could not be started, as the rest of a sentence. */
      readonly error: string;
    })
    | Crash
  >;

interface Refusal extends Taking {
  /** Why the agent, its provider or its settings refused. */
  readonly error: string;
  /** Default `worker_error`. */
  readonly code?: AgentFailureCode;
  readonly usage?: AgentUsage | null;
}

interface Usage {
  /** Default: nothing was used. `null`: the CLI does not say. */
  readonly usage?: AgentUsage | null;
}

/** What an agent did; a text alone is its last message. */
export type AgentAnswer =
  | string
  | Either<
    | (Taking & Files & Usage & {
      /** Its last message, or what it had said when it was stopped at its timeout. */
      readonly message: string;
    })
    | Refusal
    | (Killed & Usage)
    | Crash
  >;

/** What a model replied; a text alone is the reply. */
export type LlmAnswer =
  | string
  | Either<
    | (Taking & Usage & {
      /** The reply. A value that is no text is sent as JSON. */
      readonly message: JsonValue;
      /** A model has no tools. */
      readonly artifacts?: never;
    })
    | Refusal
    | (Killed & Usage)
    | Crash
  >;

/** What a person decided. `'never'`: nobody answers, and the run stays parked. */
export type HumanAnswer =
  | boolean
  | 'never'
  | {
    readonly answer: boolean;
    /** How long they thought about it. Default 0. */
    readonly takes?: Duration;
    readonly note?: string;
  };

/** What stands in for the world. A call without its script ends the simulation with an error. */
export interface Script {
  readonly run?: (call: RunCall) => RunAnswer | Promise<RunAnswer>;
  readonly agent?: (call: AgentCall) => AgentAnswer | Promise<AgentAnswer>;
  readonly llm?: (call: LlmCall) => LlmAnswer | Promise<LlmAnswer>;
  readonly human?: (call: HumanCall) => HumanAnswer | Promise<HumanAnswer>;
}
