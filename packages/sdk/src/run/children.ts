import type { JsonValue } from '../ports/json.js';
import type { BodyFacts, BodyScope } from './body-scope.js';
import { childOutcome } from './child-flow.js';
import type { EffectRunner } from './effect-runner.js';
import type { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import type { Outcomes } from './outcomes.js';
import type { Starter } from './starter.js';
import type { Cause } from './verdict.js';
import type { WaitKeeper } from './wait-keeper.js';

export interface ChildrenOptions {
  readonly ledger: Ledger;
  readonly effects: EffectRunner;
  readonly outcomes: Outcomes;
  readonly waits: WaitKeeper;
  readonly starter: Starter;
  readonly now: () => number;
  /** Nothing starts and nothing is handed over any more. */
  readonly closing: () => boolean;
  readonly openScope: (body: BodyFacts) => BodyScope;
  readonly runBody: (scope: BodyScope) => Promise<Cause | undefined>;
  /** Follows work that the run must not come to rest without. */
  readonly track: (work: Promise<void>) => void;
  /** The step will never reach its body. */
  readonly forget: (step: LiveStep) => void;
}

/** The bodies of dispatched children: each is a scope of the same run, from the first await of its step to the step's outcome. */
export class Children {
  readonly #options: ChildrenOptions;

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** Calls the body of a child. It is not waited for when the run rests: nothing reaches it then, so it would never end. */
  begin(step: LiveStep, flowName: string): void {
    const { openScope, runBody, closing, track } = this.#options;
    const flow = step.scope.flow.children.get(flowName);
    if (flow === undefined) return; // Refused by the verb already.
    // A child is given what is recorded, like everybody.
    const { input = null } = step.request as { readonly input?: JsonValue };
    const scope = openScope({ flow, input, prefix: `${step.id}--`, depth: step.scope.depth + 1 });
    step.child = scope;
    void runBody(scope).then((cause) => {
      if (!closing() && !step.scope.ended) track(this.#end(step, { flowName, scope, cause }));
    });
  }

  async #end(step: LiveStep, ended: { readonly flowName: string; readonly scope: BodyScope; readonly cause: Cause | undefined }): Promise<void> {
    const { flowName, scope, cause } = ended;
    await this.#endRest(scope);
    if (this.#options.closing() || step.state === 'delivered') return;
    const outcome = childOutcome({ flowName, cause, done: scope.done, unawaited: scope.unawaited });
    this.#options.starter.settle(step, { outcome, attempt: 1, endedAt: this.#options.now(), written: false });
  }

  /** What a child left going on ends with it, and leaves a record of that, so that a resumed run does not begin it again. */
  async #endRest(scope: BodyScope): Promise<void> {
    const { ledger, effects, outcomes, waits, closing, forget } = this.#options;
    await Promise.all([...scope.steps].map(async (step) => {
      if (step.state === 'running' || step.state === 'settled') step.stop.abort();
      waits.forget(step);
      if (step.child !== undefined) {
        step.child.end();
        await this.#endRest(step.child);
      }
      await effects.ended(step);
      // One whose outcome is known is on its way; in replay it is handed over at its place.
      if (closing() || step.state === 'settled' || step.state === 'delivered' || ledger.row(step.seq)?.position !== undefined) return;
      await outcomes.writeStopped(step);
      step.state = 'dropped';
      forget(step);
    }));
  }
}
