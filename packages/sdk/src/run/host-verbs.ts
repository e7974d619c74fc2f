import type { Ctx } from '@relayflows/surface';
import { lowerExternal } from '../verbs/external.js';
import { lowerSignal } from '../verbs/signal.js';
import type { BodyScope } from './body-scope.js';
import type { HostContext } from './host-flow.js';
import { inputOf } from './run-input.js';
import type { SessionFacts } from './services.js';

/** The verbs that only a host's own flow has. */
export function hostVerbs(scope: BodyScope, facts: SessionFacts): Omit<HostContext, keyof Ctx> {
  return {
    external: (name, options, effect) => scope.create(lowerExternal(name, options, effect)),
    continueAs: (input) => {
      scope.continueAs(facts.services.redact.json(inputOf(input)));
      return new Promise<never>(() => undefined);
    },
    signal: (name) => scope.create(lowerSignal(name)),
  };
}
