import type { Ctx } from '@relayflows/surface';
import { lowerExternal } from '../verbs/external.js';
import { lowerSignal } from '../verbs/signal.js';
import type { BodyScope } from './body-scope.js';
import type { HostContext } from './host-flow.js';

/** The verbs that only a host's own flow has. */
export function hostVerbs(scope: BodyScope): Omit<HostContext, keyof Ctx> {
  return {
    external: (name, options, effect) => scope.create(lowerExternal(name, options, effect)),
    signal: (name) => scope.create(lowerSignal(name)),
  };
}
