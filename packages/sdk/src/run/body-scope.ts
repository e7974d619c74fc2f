import type { Step } from '@relayflows/surface';
import { FlowsError } from '../errors/flows-error.js';
import type { LoadedFlow } from '../flow/loaded.js';
import type { JsonValue } from '../ports/json.js';
import { DerivedWork } from './derived-work.js';
import { LiveStep, stepFacade, type StepGate } from './live-step.js';
import type { StepSpec } from './step-spec.js';
import type { Cause } from './verdict.js';

/** What a body needs of the run it is part of. */
export interface ScopeHost {
  readonly runId: string;
  /** Takes the next place among all steps of the run and remembers the step. */
  readonly register: (make: (seq: number) => LiveStep) => LiveStep;
  /** A step is awaited for the first time. */
  readonly awaited: (step: LiveStep) => void;
  /** Checks a gate at the call. Throws the gate's error. */
  readonly checkGate: (gate: StepGate) => void;
  /** The run goes on from the top of its body with another input. */
  readonly continueAs: (input: JsonValue) => void;
  /** The first cause of a failure is kept by the run. */
  readonly fail: (cause: Cause) => void;
}

/** Which body is executed, and for whom. */
export interface BodyFacts {
  readonly flow: LoadedFlow;
  readonly input: JsonValue;
  /** `dispatch-2--` for the steps of that child, empty for the root. */
  readonly prefix: string;
  /** 1 for the root. */
  readonly depth: number;
}

export interface Done {
  readonly reason: string;
  readonly detail?: string;
  /** The number it took, for `complete-<n>`. */
  readonly marker: number;
}

/**
 * One execution of one body: the flow's own or that of a dispatched child. Owns the numbering of its steps and what `done` means for them.
 */
export class BodyScope {
  readonly derived = new DerivedWork();
  /** Those whose outcome the body does not have. */
  readonly steps = new Set<LiveStep>();
  #counter = 0;
  #done: Done | undefined;
  #unawaited: readonly string[] = [];
  #ended = false;
  /** The name given to `f.phase` last, redacted. */
  phase: string | undefined;

  readonly host: ScopeHost;
  readonly flow: LoadedFlow;
  readonly input: JsonValue;
  readonly prefix: string;
  readonly depth: number;

  constructor(args: BodyFacts & { readonly host: ScopeHost }) {
    this.host = args.host;
    this.flow = args.flow;
    this.input = args.input;
    this.prefix = args.prefix;
    this.depth = args.depth;
  }

  get done(): Done | undefined {
    return this.#done;
  }

  /** Steps that existed and were not awaited when `done` was called, or when the body ended without it. */
  get unawaited(): readonly string[] {
    return this.#unawaited;
  }

  /** The body has returned or thrown; nothing reaches it any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Creates a step. Has no effect but to take a number. */
  create<T>(spec: StepSpec): Step<T> {
    if (this.#done !== undefined) {
      throw this.#violation(new FlowsError('operation_after_completion', `f.${spec.kind}() was called after f.done('${this.#done.reason}').`, { hint: 'Call f.done() last.', runId: this.host.runId }));
    }
    if (this.#ended) {
      throw new FlowsError('operation_after_completion', `f.${spec.kind}() was called after its flow had ended.`, { hint: 'Await everything that calls f before the body returns.', runId: this.host.runId });
    }
    this.#counter += 1;
    const id = `${this.prefix}${spec.kind}-${this.#counter}`;
    const step = this.host.register((seq) => new LiveStep({ seq, id, spec, scope: this }));
    this.steps.add(step);
    return stepFacade<T>(step);
  }

  await(step: LiveStep): void {
    if (step.state !== 'created') return;
    if (this.#ended) return;
    if (this.#done !== undefined) {
      // It must not run now, and a body that waits for it must not wait forever.
      step.state = 'dropped';
      step.reject(new FlowsError('unawaited_step', `${step.id} was created before f.done('${this.#done.reason}') and awaited after it, so nothing of it ran.`, {
        hint: 'Await every step before f.done().', stepId: step.id, runId: this.host.runId,
      }));
      return;
    }
    step.state = 'queued';
    this.host.awaited(step);
  }

  gate(step: LiveStep, gate: StepGate): void {
    if (step.gate !== undefined) {
      throw new FlowsError('unsupported_gate', `${step.id} has a gate already.`, { hint: 'Put both conditions into one gate.', stepId: step.id });
    }
    if (step.state !== 'created') {
      throw new FlowsError('unsupported_gate', `${step.id} was given a gate after it was awaited.`, { hint: 'Call .gate() before awaiting the step.', stepId: step.id });
    }
    if (step.spec.action.mode === 'wait' && step.spec.kind === 'sleep') {
      throw new FlowsError('unsupported_gate', `${step.id} has no value that a gate could look at.`, { stepId: step.id });
    }
    this.host.checkGate(gate);
    step.gate = gate;
  }

  /** The author's verdict. The detail is treated already. */
  complete(reason: string, detail: string | undefined): void {
    if (this.#done !== undefined) {
      throw this.#violation(new FlowsError('duplicate_completion', `f.done('${reason}') was called after f.done('${this.#done.reason}').`, {
        hint: 'Call f.done() once on every path.', runId: this.host.runId,
      }));
    }
    this.#counter += 1;
    this.#done = { reason, ...(detail === undefined ? {} : { detail }), marker: this.#counter };
    this.#unawaited = this.#neverAwaited();
  }

  /** The body has nothing more to do than to begin again. Nothing reaches it any more. */
  continueAs(input: JsonValue): void {
    if (this.#done !== undefined || this.#ended) {
      const when = this.#done === undefined ? 'after its flow had ended' : `after f.done('${this.#done.reason}')`;
      throw this.#violation(new FlowsError('operation_after_completion', `f.continueAs() was called ${when}.`, { hint: 'Call it last, once.', runId: this.host.runId }));
    }
    this.end();
    this.host.continueAs(input);
  }

  /** The body returned or threw. Steps it never awaited will not run. */
  end(): void {
    if (this.#done === undefined) this.#unawaited = this.#neverAwaited();
    this.#ended = true;
    for (const step of this.steps) if (step.state === 'created') step.state = 'dropped';
  }

  /** What chained work is still open, a drain after `done`. */
  inspectDerived(): Cause | undefined {
    const { pending, failures } = this.derived.inspect();
    if (failures.length > 0) {
      const reason = failures[0];
      const text = reason instanceof Error ? reason.message : String(reason);
      return {
        failure: {
          code: 'operation_callback_failed',
          text: `A callback chained to a step failed and nobody handled it: ${text}`,
          hint: 'Await the promise that .then() returns, or handle its rejection.',
        },
      };
    }
    if (pending > 0) {
      return {
        failure: {
          code: 'unsettled_derived_work',
          text: `${pending} ${pending === 1 ? 'callback' : 'callbacks'} chained to steps had not finished when f.done() was called.`,
          hint: 'Await the promise that .then() returns before f.done().',
        },
      };
    }
    return undefined;
  }

  #neverAwaited(): string[] {
    return [...this.steps].filter((step) => step.state === 'created').map((step) => step.id);
  }

  #violation(error: FlowsError): FlowsError {
    this.host.fail({ failure: { code: error.code, text: error.text, ...(error.hint === undefined ? {} : { hint: error.hint }) } });
    return error;
  }
}
