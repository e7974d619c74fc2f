import type { Draft, DraftNode } from '../draft.js';
import { nearest } from '../../host/nearest.js';
import type { Finding } from './rule.js';

/** Suggestions compare every letter: a file must not make that many of them. */
export const MOST_SUGGESTED = 200;

export const START = 'start';
export const END = 'end';

/** What only a node with an agent has. */
const WORK_KEYS = ['type', 'agent', 'description', 'nudgePrompt', 'autoReject'] as const;

export const find = (nodes: readonly DraftNode[], name: string): DraftNode | undefined => nodes.find((node) => node.name === name);

/** Rules 5 and 8. */
export function lifecycleNodeRule({ at, nodes }: Draft, name: typeof START | typeof END): readonly Finding[] {
  if (nodes === undefined) return [[at, `The workflow has no nodes, and so no ${name}.`, 'Add "nodes:" with start, end and what lies between them.']];
  if (nodes.value === undefined || find(nodes.value, name) !== undefined) return [];
  const others = nodes.value.map((node) => node.name).filter((other) => other !== START && other !== END);
  const meant = nearest(name, others.slice(0, MOST_SUGGESTED));
  return [[nodes.at, `There is no node called ${name}.`, meant === undefined ? `Add it; ${name === START ? 'tickets begin there' : 'tickets are done there, and no other name will do'}.` : `Rename ${meant} if that is what you mean; the name must be exactly ${name}.`]];
}

/** Rule 6, and the first half of rule 9. */
export function noWorkRule(nodes: readonly DraftNode[], name: typeof START | typeof END): readonly Finding[] {
  const node = find(nodes, name);
  if (node === undefined) return [];
  return WORK_KEYS.flatMap((key): readonly Finding[] => {
    const field = node[key];
    return field === undefined ? [] : [[field.at, `No agent works at ${name}, so it has no ${key}.`, 'Remove it, or move it to a node of its own.']];
  });
}

/** Rule 7. */
export function startRoutesRule(nodes: readonly DraftNode[]): readonly Finding[] {
  const start = find(nodes, START);
  if (start === undefined || start.broken) return [];
  const findings: Finding[] = [];
  if ((start.onFailure?.value?.length ?? 0) > 0) findings.push([start.onFailure?.at ?? start.at, 'Nothing can fail at start, so it has no onFailure.', 'Remove it.']);
  const routes = start.onSuccess;
  const written = routes?.located.kind === 'list' ? routes.located.items.length : 0;
  if (routes === undefined || (routes.value !== undefined && written !== 1)) {
    findings.push([routes?.at ?? start.at, `start must have exactly one onSuccess route, but has ${routes === undefined || written === 0 ? 'none' : written}.`, 'Keep the one to the first node.']);
  }
  return findings;
}

/** The second half of rule 9. */
export function endRoutesRule(nodes: readonly DraftNode[]): readonly Finding[] {
  const end = find(nodes, END);
  return ([end?.onSuccess, end?.onFailure]).flatMap((routes): readonly Finding[] =>
    routes?.value === undefined || routes.value.length === 0 ? [] : [[routes.at, 'Nothing comes after end, so it has no routes.', 'Remove them.']]);
}
