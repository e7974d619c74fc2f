import type { AgentEvent } from '../../run/events.js';
import type { AgentAdapter, AgentIdentity, AgentRequest, AgentTurn } from '../port.js';

/** What the agent does in one turn, in order. How it is brought about (a script, a model server that plays a part) is the implementation's affair. */
export type AgentDeed =
  /** Its last message, when nothing is said after it. */
  | { readonly do: 'say'; readonly text: string }
  /** Writes a file in its directory with its own means. */
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  /** Runs a shell command in its directory and waits for it. */
  | { readonly do: 'run'; readonly command: string }
  /** Starts a shell command in a session of its own that ignores TERM, and does not wait for it. */
  | { readonly do: 'detach'; readonly command: string }
  /** Goes on for ever. */
  | { readonly do: 'hang' }
  /** Is killed by SIGKILL. */
  | { readonly do: 'die' }
  /** Its provider, or itself, refuses. */
  | { readonly do: 'fail'; readonly because: 'usage_limit' | 'error'; readonly text: string };

export interface AgentPart {
  readonly signedIn: boolean;
  /** Turn n is played for the n-th task, the last one for all that follow. */
  readonly turns: readonly (readonly AgentDeed[])[];
}

/** What an implementation contributes to the suite. */
export interface AgentSetUp {
  readonly adapter: AgentAdapter;
  /** Absolute path of the CLI. */
  readonly executable: string;
  /** The environment in which it plays the part. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The tasks it has received so far, as it received them. */
  readonly received: () => Promise<readonly string[]>;
  /** Removes everything; the suite has stopped what it started. */
  readonly tearDown: () => Promise<void>;
}

/** What a scenario is given. */
export interface Stage extends AgentSetUp {
  /** An empty directory. */
  readonly cwd: string;
  /** How long the agent may take until it does the first thing of its part, in milliseconds. */
  readonly startMs: number;
  readonly probe: (more?: { readonly signal?: AbortSignal }) => Promise<AgentIdentity>;
  /** One turn with sensible defaults, and the events it reported. */
  readonly execute: (more?: Partial<AgentRequest>) => Promise<AgentTurn & { readonly events: readonly AgentEvent[] }>;
}

export interface Scenario {
  readonly name: string;
  readonly part: AgentPart;
  /** Left out for an adapter that cannot do this. */
  readonly needs?: 'sessions' | 'chosen session ids';
  readonly play: (stage: Stage) => Promise<void>;
}

export function part(...turns: readonly (readonly AgentDeed[])[]): AgentPart {
  return { signedIn: true, turns };
}
