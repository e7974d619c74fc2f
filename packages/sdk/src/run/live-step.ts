import type { NamedGate, Step } from '@relayflows/surface';
import { attribute, type FlowsError } from '../errors/flows-error.js';
import type { JsonValue } from '../ports/json.js';
import type { BodyScope } from './body-scope.js';
import type { StepSpec } from './step-spec.js';

export type StepGate =
  | { readonly type: 'predicate'; readonly check: (value: never) => unknown; readonly because?: string }
  | { readonly type: 'named'; readonly gate: NamedGate };

/**
 * Where a step is in its life:
 * `created` nobody awaits it yet · `queued` awaited, waits for the end of history · `running` · `waiting` for a time, an answer or a message ·
 * `settled` its outcome is known and waits for its turn · `delivered` the body has it · `dropped` it will never reach the body.
 */
export type StepState = 'created' | 'queued' | 'running' | 'waiting' | 'settled' | 'delivered' | 'dropped';

/** One step of a body, from its creation to the delivery of its outcome. */
export class LiveStep {
  readonly promise: Promise<unknown>;
  resolve!: (value: unknown) => void;
  reject!: (error: FlowsError) => void;
  state: StepState = 'created';
  gate: StepGate | undefined;
  /** Redacted; set when the step is first awaited, and so are the label and the fingerprint. */
  request: JsonValue | undefined;
  label: string | undefined;
  fingerprint = '';
  /** The body of the child that a `dispatch` step executes. */
  child: BodyScope | undefined;
  /** Stops the effect. Made when the effect starts. */
  readonly stop = new AbortController();

  /** The place among all steps of the run, from 1. */
  readonly seq: number;
  readonly id: string;
  readonly spec: StepSpec;
  readonly scope: BodyScope;

  constructor(args: { readonly seq: number; readonly id: string; readonly spec: StepSpec; readonly scope: BodyScope }) {
    this.seq = args.seq;
    this.id = args.id;
    this.spec = args.spec;
    this.scope = args.scope;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // The body decides what a rejection means; one that nobody awaits is already the cause the run reports.
    this.promise.catch(() => undefined);
  }
}

/** What the body holds: frozen, lazy, and not a promise. */
export function stepFacade<T>(step: LiveStep): Step<T> {
  const facade: Step<T> = {
    // eslint-disable-next-line unicorn/no-thenable -- a step is a thenable by contract: that is how awaiting it starts it.
    then(onFulfilled, onRejected) {
      step.scope.await(step);
      return step.scope.derived.chain(step.promise, onFulfilled, onRejected);
    },
    gate(check: NamedGate | ((value: T) => boolean), because?: string) {
      try {
        step.scope.gate(step, typeof check === 'function'
          ? { type: 'predicate', check, ...(because === undefined ? {} : { because }) }
          : { type: 'named', gate: check });
      } catch (error) {
        throw attribute(error, step.scope.host.runId);
      }
      return facade;
    },
  };
  return Object.freeze(facade);
}
