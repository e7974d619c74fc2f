import type { Ctx } from './context.js';
import { addHandler, defineFlow } from './definition.js';
import type { FlowHeader } from './header.js';
import type { TriggerSource } from './triggers.js';

/**
 * The program of a flow: it creates steps on `f`, awaits them, and ends with `f.done(…)`.
 *
 * It runs again from the top when a run is resumed, so it must create its steps in the same order each time.
 */
export type FlowBody<Input = unknown> = (f: Ctx, input: Input) => Promise<void>;

/** A body declared for an event. It is a declaration: nothing in this package calls it. */
export type TriggerHandler<Event> = (f: Ctx, event: Event) => Promise<void>;

/** What `flow()` returns and a flow file exports as its default: opaque and frozen. */
export interface FlowHandle {
  /** The name given to `flow()`. */
  readonly name: string;
  /**
   * Declares a handler for an event and returns the same flow.
   *
   * @throws TypeError when the source was not made by `webhook`, `schedule`, `github` or `slack`, or the body is not a function.
   */
  on<Event = unknown>(source: TriggerSource, body: TriggerHandler<Event>): TriggeredFlowHandle;
}

/** A flow that has at least one handler. */
export interface TriggeredFlowHandle extends FlowHandle {}

/**
 * Declares a flow. The handle must be the default export of a `*.flow.ts` file.
 *
 * A header is copied at once, from its own data properties, and frozen: changing it afterwards has no effect. A flow without a body needs a handler
 * (`.on(…)`) before it can be loaded.
 *
 * @throws TypeError when the name is blank, the body is not a function, or the header is not plain data of the documented form; an unknown header
 * key gives a message that begins with `unsupported_header:` and names it.
 */
export function flow(name: string, header?: FlowHeader): FlowHandle;
export function flow<Input = unknown>(name: string, body: FlowBody<Input>): FlowHandle;
// Flows derive the context's type from `Parameters<typeof flow<unknown>>`, which reads the last overload: this one stays last.
export function flow<Input = unknown>(name: string, header: FlowHeader, body: FlowBody<Input>): FlowHandle;
export function flow(name: string, headerOrBody?: unknown, body?: unknown): FlowHandle {
  const declared = typeof headerOrBody === 'function' && body === undefined
    ? { name, header: undefined, body: headerOrBody }
    : { name, header: headerOrBody, body };

  const handle: FlowHandle = Object.freeze({
    name,
    on<Event>(source: TriggerSource, handler: TriggerHandler<Event>): TriggeredFlowHandle {
      addHandler(handle, source, handler);
      return handle;
    },
  });
  defineFlow(handle, declared);
  return handle;
}
