import { draftRoutes, type DraftNode, type DraftRoute } from '../draft.js';
import { cut } from '../yaml/located.js';
import { nearest } from '../yaml/nearest.js';
import { END, START } from './lifecycle.js';
import type { Finding } from './rule.js';

/** Rule 12. */
export function noWayBackRule(nodes: readonly DraftNode[]): readonly Finding[] {
  return eachTarget(nodes, (target) => (target === START ? [`A route leads to ${START}, where a ticket is only once.`, 'Lead to the first node after it.'] : undefined));
}

/** Rule 13. */
export function targetRule(nodes: readonly DraftNode[]): readonly Finding[] {
  const names = nodes.map(({ name }) => name);
  return eachTarget(nodes, (target) => {
    if (target === START || names.includes(target)) return undefined;
    const meant = meantNode(target, names);
    return [`A route leads to ${JSON.stringify(cut(target))}, but there is no such node.`, meant === undefined ? `Name one of ${names.filter((name) => name !== START).map((name) => cut(name)).slice(0, 12).join(', ')}, or add the node.` : `Write ${meant} if that is what you mean, or add the node.`];
  });
}

/** Rule 14. A mistyped target counts as the node it most looks like: one slip is not reported twice. */
export function reachRule(nodes: readonly DraftNode[]): readonly Finding[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  if (!byName.has(START) || nodes.some(({ broken }) => broken)) return [];
  const reached = new Set([START]);
  for (const name of reached) {
    for (const { target } of routesFrom(byName.get(name))) {
      const next = target?.value === undefined || byName.has(target.value) ? target?.value : meantNode(target.value, byName.keys());
      if (next !== undefined) reached.add(next);
    }
  }
  return nodes.filter(({ name }) => !reached.has(name)).map(({ name, at }): Finding => [at, `No way from ${START} leads to ${cut(name)}.`, name === END ? 'Add a route to it from the last node.' : 'Add a route to it, or remove the node.']);
}

const routesFrom = (node: DraftNode | undefined): readonly DraftRoute[] => (node === undefined ? [] : draftRoutes(node));

function meantNode(target: string, names: Iterable<string>): string | undefined {
  return nearest(target.trim(), [...names].filter((name) => name !== START));
}

function eachTarget(nodes: readonly DraftNode[], judge: (target: string) => readonly [text: string, hint: string] | undefined): readonly Finding[] {
  return nodes.flatMap((node) => draftRoutes(node)).flatMap(({ target }): readonly Finding[] => {
    const verdict = target?.value === undefined ? undefined : judge(target.value);
    return target === undefined || verdict === undefined ? [] : [[target.located.at, ...verdict]];
  });
}
