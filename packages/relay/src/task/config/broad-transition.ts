import { originOf, SCOPE_NAMES, type TaskConfigLayers } from './layers.js';

/**
 * The warning about a status that was meant for the work and keeps tickets open: at every scope but the node's it counts at the end too. `layers` are those that
 * hold at `end`, with `end`'s own as `node`. `undefined` when nothing is wrong.
 */
export function broadTransition(layers: TaskConfigLayers): { readonly text: string; readonly hint: string } | undefined {
  const scope = originOf(layers, ['transitionTo', 'parentStatus']);
  if (scope === undefined || scope === 'node') return undefined;
  return {
    text: `transitionTo.parentStatus in ${SCOPE_NAMES[scope]} counts at start and end too, so a ticket is not closed when it is done.`,
    hint: 'Set it in the taskConfig of the nodes it is meant for, or set another in the taskConfig of the node end.',
  };
}
