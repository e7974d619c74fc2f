import { draftRoutes, type DraftNode } from '../draft.js';
import { cut } from '../yaml/located.js';
import { nearest } from '../../host/nearest.js';
import { END, MOST_SUGGESTED, START } from './lifecycle.js';
import type { Finding } from './rule.js';

/** Rule 12. */
export function noWayBackRule(nodes: readonly DraftNode[]): readonly Finding[] {
  return eachTarget(nodes, (target) => (target === START ? [`A route leads to ${START}, where a ticket is only once.`, 'Lead to the first node after it.'] : undefined));
}

/** Rule 13. */
export function targetRule(nodes: readonly DraftNode[]): readonly Finding[] {
  const suggest = suggestions(nodes);
  const names = new Set(nodes.map(({ name }) => name));
  return eachTarget(nodes, (target) => {
    if (target === START || names.has(target)) return undefined;
    const meant = suggest(target);
    const some = [...names].filter((name) => name !== START).slice(0, 12).map((name) => cut(name));
    return [`A route leads to ${JSON.stringify(cut(target))}, but there is no such node.`, meant === undefined ? `Name one of ${some.join(', ')}, or add the node.` : `Write ${meant} if that is what you mean, or add the node.`];
  });
}

/** Rule 14. A mistyped target counts as the node it most looks like: one slip is not reported twice. */
export function reachRule(nodes: readonly DraftNode[]): readonly Finding[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  if (!byName.has(START) || nodes.some(({ broken }) => broken)) return [];
  const suggest = suggestions(nodes);
  const reached = new Set([START]);
  for (const name of reached) {
    const node = byName.get(name);
    for (const { target } of node === undefined ? [] : draftRoutes(node)) {
      const next = target?.value === undefined || byName.has(target.value) ? target?.value : suggest(target.value);
      if (next !== undefined) reached.add(next);
    }
  }
  return nodes.filter(({ name }) => !reached.has(name)).map(({ name, at }): Finding => [at, `No way from ${START} leads to ${cut(name)}.`, name === END ? 'Add a route to it from the last node.' : 'Add a route to it, or remove the node.']);
}

/** The node a target most looks like. After many unknown ones it gives up: such a file has another mistake. */
function suggestions(nodes: readonly DraftNode[]): (target: string) => string | undefined {
  const names = nodes.map(({ name }) => name).filter((name) => name !== START).slice(0, MOST_SUGGESTED).map((name) => cut(name));
  let left = 20;
  return (target) => {
    left -= 1;
    return left < 0 ? undefined : nearest(cut(target.trim()), names);
  };
}

function eachTarget(nodes: readonly DraftNode[], judge: (target: string) => readonly [text: string, hint: string] | undefined): readonly Finding[] {
  return nodes.flatMap((node) => draftRoutes(node)).flatMap(({ target }): readonly Finding[] => {
    const verdict = target?.value === undefined ? undefined : judge(target.value);
    return target === undefined || verdict === undefined ? [] : [[target.located.at, ...verdict]];
  });
}
