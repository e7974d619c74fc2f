import type { Draft, DraftNode } from '../draft.js';
import { plain, type LocatedMap, type Place } from '../yaml/located.js';
import { END, START } from './lifecycle.js';
import { isWork } from './work.js';
import type { Finding } from './rule.js';

/** What is allowed and hardly meant. */
export function warnings({ nodes, taskConfig }: Draft): readonly Finding[] {
  const all = nodes?.value ?? [];
  return [...all.filter(isWork).flatMap((node) => [...failureToEnd(node), ...idleAutoReject(node)]), ...noEnd(all, nodes?.at), ...broadTransition(taskConfig?.value, all)];
}

/** A failure never ends a ticket, so such a route is never offered. */
function failureToEnd({ name, onFailure }: DraftNode): readonly Finding[] {
  const routes = onFailure?.value ?? [];
  const alone = routes.every(({ target }) => target?.value === END);
  return routes.flatMap(({ target }): readonly Finding[] =>
    target?.value === END
      ? [[target.located.at, `A failure at ${name} never ends a ticket: this route is not offered to the agent${alone ? ', and no other is left for a failure' : ''}.`, alone ? 'Lead failures to a node that can do something about them.' : 'Remove it.']]
      : []);
}

function idleAutoReject({ name, type, autoReject }: DraftNode): readonly Finding[] {
  return autoReject?.value === true && type?.value === 'agent' ? [[autoReject.at, `autoReject has no effect at ${name}, since nobody approves the reports of an agent node.`, 'Remove it, or set "type: hitl".']] : [];
}

function noEnd(nodes: readonly DraftNode[], at: Place | undefined): readonly Finding[] {
  const ends = nodes.some(({ onSuccess }) => (onSuccess?.value ?? []).some(({ target }) => target?.value === END));
  return ends || at === undefined ? [] : [[at, 'No success leads to end, so no ticket is ever done.', 'Add a route to end to onSuccess of the last node.']];
}

/** At this scope it also counts at the end, where it would keep the ticket from being closed. */
function broadTransition(taskConfig: LocatedMap | undefined, nodes: readonly DraftNode[]): readonly Finding[] {
  const entry = taskConfig?.entries.find(({ key }) => key === 'transitionTo');
  if (entry === undefined || !setsParent(plain(entry.value))) return [];
  const end = nodes.find(({ name }) => name === END)?.taskConfig?.value?.entries.find(({ key }) => key === 'transitionTo');
  if (end !== undefined && setsParent(plain(end.value))) return [];
  return [[entry.at, `transitionTo.parentStatus of the whole workflow counts at ${START} and ${END} too, so the ticket is not closed when it is done.`, `Set it in the taskConfig of the nodes it is meant for, or set another in the taskConfig of ${END}.`]];
}

function setsParent(transition: unknown): boolean {
  return typeof transition === 'object' && transition !== null && Object.hasOwn(transition, 'parentStatus');
}
