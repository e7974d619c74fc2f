import type { AgentEvent } from '../../run/events.js';
import type { AgentAdapter, AgentIdentity, AgentRequest, AgentTurn } from '../port.js';

/** What the agent does in one turn, in order. How it is brought about (a script, a model server that plays a part) is the implementation's affair. */
export type AgentDeed =
  /** Its last message, when nothing is said after it. `usage`: what the provider states for it. */
  | { readonly do: 'say'; readonly text: string; readonly usage?: { readonly input: number; readonly output: number } }
  /** Writes a file in its directory with its own means. */
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  /** Runs a shell command in its directory and waits for it. */
  | { readonly do: 'run'; readonly command: string }
  /** Commits everything in its directory, which is a repository. */
  | { readonly do: 'commit'; readonly message: string }
  /** Starts a shell command in a session of its own that ignores TERM, and does not wait for it. */
  | { readonly do: 'detach'; readonly command: string }
  /** Goes on for ever without doing anything. */
  | { readonly do: 'hang' }
  /** Its provider, or it itself, refuses: each time it is asked, or only the first `times`. */
  | { readonly do: 'fail'; readonly because: AgentRefusal; readonly text: string; readonly times?: number; /** When the limit resets, in milliseconds from now; `text` says the same. */ readonly resetsInMs?: number };

export type AgentRefusal =
  /** Anything that has no class of its own. */
  | 'error'
  /** The credentials: HTTP 401. */
  | 'unauthorized'
  /** A limit of use: HTTP 429. */
  | 'usage_limit'
  /** The provider does not work: HTTP 500. */
  | 'outage'
  /** No such model: HTTP 404, in the words of the provider. */
  | 'model_unknown'
  /** The connection ends before anything was answered. */
  | 'dropped_before'
  /** The connection ends in the middle of an answer. */
  | 'dropped_mid';

export interface AgentPart {
  readonly signedIn: boolean;
  /** Turn n is played for the n-th task, the last one for all that follow. */
  readonly turns: readonly (readonly AgentDeed[])[];
  /** It calls its tools under the names they usually have, also when it is offered none. */
  readonly stubborn?: true;
}

/** One request for an answer that reached the model, as far as the suite looks at it. */
export interface ModelRequest {
  /** Names of the tools that the model was offered. */
  readonly tools: readonly string[];
  /** Every text of the conversation, the task included. */
  readonly conversation: string;
}

/** What an implementation contributes to the suite. */
export interface AgentSetUp {
  readonly adapter: AgentAdapter;
  /** Absolute path of the CLI. */
  readonly executable: string;
  /** The environment in which it plays the part. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** What a probe of it found out, where that takes long and was done before. Default: the suite asks for every turn. */
  readonly identity?: AgentIdentity;
  /** The tasks it has received so far, as it received them. */
  readonly received: () => Promise<readonly string[]>;
  /** What has reached the model so far, in order. Absent where no model is behind it. */
  readonly requests?: () => Promise<readonly ModelRequest[]>;
  /** Removes everything; the suite has stopped what it started. */
  readonly tearDown: () => Promise<void>;
}

/** What a scenario can need of an adapter and its set-up. */
export type AgentNeed =
  /** A provider that refuses in ways that are told apart, and a model whose requests are seen. */
  | 'provider'
  /** A record of the turn: messages and tools one by one, and a result that stands whatever becomes of the process. */
  | 'record'
  /** A statement of what a turn used. */
  | 'usage'
  /** Known from the adapter's abilities. */
  | 'sessions' | 'chosen session ids' | 'readonly';

/** What a scenario is given. */
export interface Stage extends AgentSetUp {
  /** An empty directory. */
  readonly cwd: string;
  /** Another one. */
  readonly elsewhere: string;
  /** How long the agent may take until it does the first thing of its part, in milliseconds. */
  readonly startMs: number;
  /** How many model calls are made in the scenario about many of them. */
  readonly crowd: number;
  readonly probe: (more?: { readonly signal?: AbortSignal }) => Promise<AgentIdentity>;
  /** One turn with sensible defaults, and the events it reported. Fails when a process of it is alive afterwards. */
  readonly execute: (more?: Partial<AgentRequest>) => Promise<AgentTurn & { readonly events: readonly AgentEvent[] }>;
  /** A program that stands for the CLI: a shell script, in which `"$CLI" "$@"` is the CLI itself. */
  readonly inPlaceOf: (script: string) => Promise<AgentIdentity>;
}

export interface Scenario {
  readonly name: string;
  readonly part: AgentPart;
  /** It is left out, with a reason, for an adapter that lacks one of these. */
  readonly needs?: readonly AgentNeed[];
  readonly play: (stage: Stage) => Promise<void>;
}

export function part(...turns: readonly (readonly AgentDeed[])[]): AgentPart {
  return { signedIn: true, turns };
}
