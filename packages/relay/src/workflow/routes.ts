import { END, type NextStep, type Routes } from 'relay-flow-plugin/report';
import type { Route, WorkflowNode } from './definition.js';

/**
 * The routes of a node as reports may choose them, in the order of the workflow: a failure never ends a ticket, so `end` is no failure's target. A `when` is one line,
 * whatever the YAML made of it, since it stands in lists with a line per route and beside labels that are read line by line.
 */
export function routesOf(node: Pick<WorkflowNode, 'onSuccess' | 'onFailure'>): Routes {
  return { success: node.onSuccess.map(step), failure: node.onFailure.filter(({ target }) => target !== END).map(step) };
}

function step({ target, when }: Route): NextStep {
  const advice = when?.replaceAll(/\s+/g, ' ').trim() ?? '';
  return advice === '' ? { target } : { target, when: advice };
}

/** Success routes, then failure routes, none twice: `review (when: it is ready); build`. */
export function nextStepsText(routes: Routes): string {
  return nextStepsOf(routes).map(({ target, when }) => (when === undefined ? target : `${target} (when: ${when})`)).join('; ');
}

/** One `target — when: advice` a line; `None` where there is no route. */
export function routeLines(steps: readonly NextStep[]): string {
  return steps.length === 0 ? 'None' : steps.map(({ target, when }) => (when === undefined ? target : `${target} — when: ${when}`)).join('\n');
}

/** The routes an agent may choose, success first; one that both have with the same words stands once. */
export function nextStepsOf({ success, failure }: Routes): readonly NextStep[] {
  const seen = new Set<string>();
  return [...success, ...failure].filter(({ target, when }) => {
    const key = JSON.stringify([target, when]);
    return seen.size < seen.add(key).size;
  });
}
