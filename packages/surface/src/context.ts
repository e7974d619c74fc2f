import type { FlowCompletionReason } from './completion.js';
import type { Step } from './step.js';
import type { TriggerSource } from './triggers.js';
import type { Activity, ActivityOptions } from './verbs/activity.js';
import type { AgentOptions, AgentResult } from './verbs/agent.js';
import type { DispatchResult } from './verbs/dispatch.js';
import type { DoneOptions } from './verbs/done.js';
import type { HumanOptions } from './verbs/human.js';
import type { LlmOptions } from './verbs/llm.js';
import type { MemoryHelper } from './verbs/memory.js';
import type { RunOptions, RunResult } from './verbs/run.js';

/**
 * What a flow body is given. Each verb that returns a {@link Step} checks its options at the call, takes the next step number, and starts nothing; the
 * step starts when it is awaited. An interface, so that extensions can add members by declaration merging.
 */
export interface Ctx {
  /**
   * Runs a command with `sh -c` in the directory the run was started from, standard input closed. Gives standard output, not trimmed, or a
   * {@link RunResult} with `onNonZero: 'record'`. Rejects with `step_failed`, `lease_exceeded`, `crashed` or `spawn_failed`.
   */
  run(command: string, options?: RunOptions & { onNonZero?: 'fail' }): Step<string>;
  run(command: string, options: RunOptions & { onNonZero: 'record' }): Step<RunResult>;
  run(command: string, options: RunOptions): Step<string | RunResult>;

  /** Asks a model, without tools. As a template it gives text; as a call with `output`, a JSON Schema, it gives the reply parsed and checked. */
  llm(parts: TemplateStringsArray, ...values: unknown[]): Step<string>;
  llm(prompt: string, options: LlmOptions): Step<unknown>;

  /** Lets a coding agent work in a directory. `name` labels the call and selects `header.agents[name]` when that exists. */
  agent(name: string, options: AgentOptions): Step<AgentResult>;

  /** Asks a person a yes-or-no question; the run parks until the answer is there. `false` is a value, not a failure. Root flows only. */
  human(question: string, options: HumanOptions): Step<boolean>;

  /** Runs a child flow, named as it declares itself and listed in `header.use`. `input` must be JSON. */
  dispatch(flow: string, input: unknown): Step<DispatchResult>;

  /** Asks the host. The name must be in `header.hooks`; without an implementation the answer is `true`. */
  hook(name: string, input: unknown): Step<boolean>;

  /** Subscribes to events. `unsupported_verb` where no host routes them. */
  on(source: TriggerSource, options: ActivityOptions): Activity;

  /** Waits. Costs nothing: the process may end meanwhile. Milliseconds, or `<n>` followed by `ms`, `s`, `m`, `h` or `d`. */
  sleep(duration: string | number): Step<void>;

  /** The time in milliseconds since the epoch, recorded, so that a resumed run sees the same. */
  now(): Step<number>;

  /** A random UUID (version 4), recorded, so that a resumed run sees the same. */
  uuid(): Step<string>;

  /** Says what the flow is doing now: prints `relayflow phase: <name>` on standard error. Not a step; silent while a resumed run repeats what was done. */
  phase(name: string): void;

  /**
   * Ends the flow with a verdict: `success`, `needs_human`, `step_failed` or `declined`. Throws `unsupported_completion` for others,
   * `duplicate_completion` the second time. No step may be created afterwards.
   */
  done(reason: FlowCompletionReason, options?: DoneOptions): void;

  /** History of earlier work, when the host has one. */
  readonly memory: MemoryHelper;

  /** Tools of MCP servers: `f.mcp.<server>.<tool>(args)`. The server must be in `header.tools.mcp`. */
  readonly mcp: Record<string, Record<string, (args?: unknown) => Step<unknown>>>;

  /** Supplied by some hosts only. */
  readonly capabilities?: unknown;
}
