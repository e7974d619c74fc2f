import { flow, type Ctx, type FlowBody, type FlowHandle, type Step } from '@relayflows/surface';
import type { StepFailure } from '../journal/port.js';
import type { Clock } from '../ports/clock.js';
import type { JsonValue } from '../ports/json.js';

/** What one attempt of `f.external` is given. */
export interface ExternalAttempt {
  /** As given in the options: the same in every attempt. */
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
  /** The attempt before was lost with its process, so it may have taken effect. */
  readonly resumed: boolean;
  /** Aborted when the run is canceled, when the body ended without this step, or when the host stops. The run rests once the effect has ended: heed it. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** What the attempt before failed with, unless this is the first attempt of this process. */
  readonly previousFailure?: StepFailure;
  /** What an earlier attempt recorded last, redacted. */
  readonly previous?: JsonValue;
  /** Keeps a value for later attempts, in place of the one before. It is committed within the same turn of the event loop. */
  record(value: JsonValue): void;
}

export interface ExternalOptions {
  /** Names the effect in the world, so that it can be recognised when it is repeated. Part of what a replay compares. */
  readonly key: string;
  /** What the effect depends on, for reports and for the comparison of a replay. */
  readonly input?: JsonValue;
  /** Decides whether a failed attempt is followed by another, and when. `attempt` is how many have failed, from 1. Default: never. Must not throw. */
  readonly retry?: (failure: StepFailure, attempt: number) => { readonly delayMs: number } | undefined;
}

/** What the body of a host's own flow is given: everything an author has, and what only a host can answer for. */
export interface HostContext extends Ctx {
  /**
   * Something that the host does to the world, as a step. The effect is called again after a crash, so it must look first or carry `key`.
   *
   * The value becomes JSON. A `FlowsError` that the effect throws is the step's failure; any other error is `external_failed` with the error's message and
   * `hint`, and as evidence its `kind`, `code`, `retryAfterMs` and what its `evidence` holds. Unlike a failed command, a failure that the body catches does not fail the run.
   */
  external<T>(name: string, options: ExternalOptions, effect: (attempt: ExternalAttempt) => Promise<T>): Step<T>;

  /** Waits for a message of this name, see `Runtime.signal`, and gives its payload. Messages of one name are taken in the order in which they came. The run parks meanwhile. */
  signal<T = JsonValue>(name: string): Step<T>;

  /**
   * The body starts again from its top with another input and an empty history: for a body that loops for ever. The run keeps its id and the messages that no
   * step gave to the body. Steps that are still open are stopped, and the body that called gets nothing more. The report tells of what came after the last call.
   * Throws `input_invalid`, `operation_after_completion`.
   */
  continueAs(input: JsonValue): Promise<never>;
}

export type HostBody<Input = unknown> = (f: HostContext, input: Input) => Promise<void>;

const hostFlows = new WeakSet<FlowHandle>();

/**
 * Makes a flow of the host's own, such as an interpreter. Its body gets a {@link HostContext} in runs of a runtime that has it registered
 * (`createRuntime({ flows })`); as a child, or sealed from a file, it is a flow like any other.
 */
export function hostFlow<Input = unknown>(name: string, body: HostBody<Input>): FlowHandle {
  const handle = flow<Input>(name, body as unknown as FlowBody<Input>);
  hostFlows.add(handle);
  return handle;
}

export function isHostFlow(handle: FlowHandle): boolean {
  return hostFlows.has(handle);
}
