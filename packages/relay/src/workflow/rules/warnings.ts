import type { Draft, DraftNode } from '../draft.js';
import { plain, type LocatedMap, type Place } from '../yaml/located.js';
import { broadTransition } from '../../task/config/broad-transition.js';
import type { TaskConfigLayers } from '../../task/config/layers.js';
import type { TaskConfigScope } from '../../task/task-config.js';
import { END } from './lifecycle.js';
import { isWork } from './work.js';
import type { Finding } from './rule.js';

/** What is allowed and hardly meant. */
export function warnings({ nodes, taskConfig }: Draft): readonly Finding[] {
  const all = nodes?.value ?? [];
  return [...all.filter(isWork).flatMap((node) => [...failureToEnd(node), ...idleAutoReject(node)]), ...all.flatMap(idleFilters), ...noEnd(all, nodes?.at), ...broadWarning(taskConfig?.value, all)];
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

/** Tickets are picked up for a workflow, before any of its nodes is entered. */
function idleFilters({ name, taskConfig }: DraftNode): readonly Finding[] {
  const filters = taskConfig?.value?.entries.find(({ key }) => key === 'filters');
  return filters === undefined ? [] : [[filters.at, `The filters of ${name} have no effect, since a ticket is chosen before it comes to a node.`, 'Move them to the taskConfig of the workflow.']];
}

function noEnd(nodes: readonly DraftNode[], at: Place | undefined): readonly Finding[] {
  const ends = nodes.some(({ onSuccess }) => (onSuccess?.value ?? []).some(({ target }) => target?.value === END));
  return ends || at === undefined ? [] : [[at, 'No success leads to end, so no ticket is ever done.', 'Add a route to end to onSuccess of the last node.']];
}

function broadWarning(taskConfig: LocatedMap | undefined, nodes: readonly DraftNode[]): readonly Finding[] {
  const end = nodes.find(({ name }) => name === END)?.taskConfig?.value;
  const warning = broadTransition({ ...layer('workflow', taskConfig), ...layer('node', end) });
  const entry = taskConfig?.entries.find(({ key }) => key === 'transitionTo');
  return warning === undefined || entry === undefined ? [] : [[entry.at, warning.text, warning.hint]];
}

function layer(scope: TaskConfigScope, value: LocatedMap | undefined): TaskConfigLayers {
  return value === undefined ? {} : { [scope]: plain(value) };
}
