import type { WorkflowDefinition } from '../definition.js';
import { routesOf } from '../routes.js';

/** All ways from one node to another with one outcome. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `begin`: from `start`, where nothing can fail. */
  readonly outcome: 'begin' | 'success' | 'failure';
  /** When it is taken, one entry per route that says so. */
  readonly when: readonly string[];
}

/** The ways that a ticket can take, in the order of the file: a failure that leads to `end` is never taken, and not drawn. */
export function edgesOf(workflow: WorkflowDefinition): readonly GraphEdge[] {
  return Object.entries(workflow.nodes).flatMap(([from, node]) => {
    const { success, failure } = routesOf(node);
    const outcome = node.type === 'lifecycle' ? 'begin' : 'success';
    return [...merged(success).map((edge) => ({ from, outcome, ...edge }) as const), ...merged(failure).map((edge) => ({ from, outcome: 'failure', ...edge }) as const)];
  });
}

function merged(steps: readonly { readonly target: string; readonly when?: string }[]): readonly Pick<GraphEdge, 'to' | 'when'>[] {
  return [...new Set(steps.map(({ target }) => target))].map((to) => ({ to, when: steps.flatMap(({ target, when }) => (target === to && when !== undefined ? [when] : [])) }));
}

/** What stands beside an edge: its outcome in words, since a colour or a dash is not for everybody. */
export function edgeText({ outcome, when }: GraphEdge): string {
  if (outcome === 'begin') return when.length === 0 ? '' : `when: ${when.join(' / ')}`;
  return when.length === 0 ? outcome : `${outcome}: ${when.join(' / ')}`;
}

/** What stands below the name of a node. */
export function nodeNote(workflow: WorkflowDefinition, name: string): string | undefined {
  const node = workflow.nodes[name];
  if (node === undefined || node.type === 'lifecycle') return undefined;
  return node.type === 'hitl' ? `${oneLine(node.agent)}, then a person` : oneLine(node.agent);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
