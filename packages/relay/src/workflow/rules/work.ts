import type { DraftNode, Field } from '../draft.js';
import { checkTemplate } from '../templates.js';
import { cut, type Place } from '../yaml/located.js';
import { nearest } from '../../host/nearest.js';
import { END, START } from './lifecycle.js';
import type { Finding } from './rule.js';

export const isWork = ({ name, broken }: DraftNode): boolean => name !== START && name !== END && !broken;

/** Rule 10. */
export function workRule(nodes: readonly DraftNode[]): readonly Finding[] {
  return nodes.filter(isWork).flatMap((node) => [
    ...typeFindings(node),
    ...empty(node.agent, node, 'agent', 'Name the agent of the harness that works there.'),
    ...empty(node.description, node, 'description', 'Say what is to be done there.'),
    ...noRoutes(node.onSuccess, node, 'onSuccess', 'Add at least one route for a report of success.'),
    ...noRoutes(node.onFailure, node, 'onFailure', 'Add at least one route for a report of failure; it may lead back to the node itself.'),
  ]);
}

function typeFindings({ name, at, type }: DraftNode): readonly Finding[] {
  if (type === undefined) return [[at, `${name} has no type.`, 'Add "type: agent", or "type: hitl" where a person approves the report.']];
  if (type.value === undefined || type.value === 'agent' || type.value === 'hitl') return [];
  const meant = nearest(cut(type.value), ['agent', 'hitl']);
  return [[type.located.at, `${name} has the type ${JSON.stringify(cut(type.value))}, which does not exist.`, meant === undefined ? 'Write agent, or hitl where a person approves the report.' : `Write ${meant}.`]];
}

function empty(field: Field<string> | undefined, node: DraftNode, key: string, hint: string): readonly Finding[] {
  if (field === undefined) return [[node.at, `${node.name} has no ${key}.`, hint]];
  return field.value === undefined || field.value.trim() !== '' ? [] : [[field.located.at, `The ${key} of ${node.name} is empty.`, hint]];
}

function noRoutes(field: Field<readonly unknown[]> | undefined, node: DraftNode, key: string, hint: string): readonly Finding[] {
  if (field === undefined) return [[node.at, `${node.name} has no ${key}.`, hint]];
  // A list whose items are all of the wrong kind has been spoken of.
  return field.located.kind === 'list' && field.located.items.length === 0 ? [[field.at, `${key} of ${node.name} is empty.`, hint]] : [];
}

/** Rule 11: templates of a workflow know few names, and say so before anything is rendered. */
export function templateRule(nodes: readonly DraftNode[]): readonly Finding[] {
  return nodes.filter(isWork).flatMap(({ nudgePrompt, description }) => [...templateFindings('nudgePrompt', nudgePrompt), ...templateFindings('nodeDescription', description)]);
}

function templateFindings(kind: 'nudgePrompt' | 'nodeDescription', field: Field<string> | undefined): readonly Finding[] {
  if (field?.value === undefined) return [];
  const at: Place = field.located.at;
  return checkTemplate(kind, field.value).map(({ text, hint }): Finding => [at, `${at.path}: ${text}`, hint]);
}
