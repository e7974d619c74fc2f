import { describeValue } from './describe-value.js';
import type { FlowBody, FlowHandle, TriggerHandler } from './flow.js';
import { copyHeader, type FlowHeader } from './header.js';
import { isTriggerSource, type TriggerSource } from './triggers.js';

/** What an author declared with `flow()` and `.on()`. */
export interface FlowDefinition {
  readonly name: string;
  /** A deeply frozen copy, members that were `undefined` left out; an empty object when there was no header. */
  readonly header: FlowHeader;
  /** Absent for a flow that only has handlers. */
  readonly body?: FlowBody;
  /** In the order of declaration. */
  readonly handlers: readonly FlowHandlerDefinition[];
}

export interface FlowHandlerDefinition {
  readonly source: TriggerSource;
  readonly body: TriggerHandler<unknown>;
}

interface Declaration {
  readonly name: string;
  readonly header: FlowHeader;
  readonly body: FlowBody | undefined;
  readonly handlers: FlowHandlerDefinition[];
}

/**
 * Definitions lie beside the handles, not in them, so that a look-alike object cannot carry one. The map hangs on `globalThis` because a process may
 * hold two copies of this package (the author's and the runtime's) that must agree; the number changes with the form of `Declaration`.
 */
const REGISTRY = Symbol.for('@relayflows/surface:definitions@1');

function declarations(): WeakMap<object, Declaration> {
  const holder = globalThis as { [REGISTRY]?: WeakMap<object, Declaration> };
  const existing = holder[REGISTRY];
  if (existing !== undefined) return existing;
  const created = new WeakMap<object, Declaration>();
  Object.defineProperty(holder, REGISTRY, { value: created });
  return created;
}

function declarationOf(handle: unknown): Declaration {
  const declaration = typeof handle === 'object' && handle !== null ? declarations().get(handle) : undefined;
  if (declaration === undefined) throw new TypeError('expected an @relayflows/surface flow handle');
  return declaration;
}

/** Whether a value was returned by `flow()`, of this copy of the package or of another one. */
export function isFlowHandle(value: unknown): value is FlowHandle {
  return typeof value === 'object' && value !== null && declarations().has(value);
}

/**
 * What was declared behind a handle.
 *
 * @throws TypeError `expected an @relayflows/surface flow handle` for anything that `flow()` did not return; another TypeError for a flow that has
 * neither a body nor a handler.
 */
export function getFlowDefinition(handle: unknown): FlowDefinition {
  const { name, header, body, handlers } = declarationOf(handle);
  if (body === undefined && handlers.length === 0) {
    throw new TypeError(`flow "${name}" has no body: give flow() a function, or declare a handler with .on(source, body)`);
  }
  return Object.freeze({
    name,
    header,
    ...(body === undefined ? {} : { body }),
    handlers: Object.freeze([...handlers]),
  });
}

/** Checks what `flow()` was given and remembers it for the handle. */
export function defineFlow(handle: FlowHandle, declared: { readonly name: unknown; readonly header: unknown; readonly body: unknown }): void {
  const { name, header, body } = declared;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new TypeError('flow() needs a name that is not blank, for example flow("check-repository", async (f) => { … })');
  }
  if (body !== undefined && typeof body !== 'function') {
    throw new TypeError(`flow "${name}": the body must be a function, got ${describeValue(body)}`);
  }
  declarations().set(handle, {
    name,
    header: header === undefined ? Object.freeze({}) : copyHeader(header, name),
    body: body as FlowBody | undefined,
    handlers: [],
  });
}

export function addHandler(handle: FlowHandle, source: TriggerSource, body: TriggerHandler<never>): void {
  const { name, handlers } = declarationOf(handle);
  if (!isTriggerSource(source)) {
    throw new TypeError(`flow "${name}": .on() needs a source made by webhook(), schedule, github or slack`);
  }
  if (typeof body !== 'function') throw new TypeError(`flow "${name}": .on() needs a function as its second argument`);
  handlers.push(Object.freeze({ source, body: body as TriggerHandler<unknown> }));
}
