import type { TaskConfigLayer } from '../task/task-config.js';

/** A workflow as its YAML declares it, checked and with its defaults. Plain JSON: a run keeps the definition it started with. */
export interface WorkflowDefinition {
  /** `^[a-z][a-zA-Z0-9]*$` */
  readonly name: string;
  /** Names of registered repositories; at least one, unique. */
  readonly repos: readonly string[];
  /** Remove the workspace of a ticket after its end. */
  readonly cleanupRunnerOnEnd: boolean;
  readonly taskConfig?: TaskConfigLayer;
  /** By name, in the order of the file; `start` and `end` are among them. */
  readonly nodes: Readonly<Record<string, WorkflowNode>>;
}

export type WorkflowNode = LifecycleNode | WorkNode;

/** `start` has exactly one `onSuccess`; `end` has no route. */
export interface LifecycleNode {
  readonly type: 'lifecycle';
  readonly taskConfig?: TaskConfigLayer;
  readonly onSuccess: readonly Route[];
  readonly onFailure: readonly Route[];
}

export interface WorkNode {
  readonly type: 'agent' | 'hitl';
  /** The name of the harness's agent. */
  readonly agent: string;
  /** What is to be done here. May contain `{{ticket}}`. */
  readonly description: string;
  /** Added to prompts at the beginning of a visit. */
  readonly nudgePrompt?: string;
  /** Only `hitl`: a valid report of a failure needs no approval. */
  readonly autoReject: boolean;
  readonly taskConfig?: TaskConfigLayer;
  readonly onSuccess: readonly Route[];
  readonly onFailure: readonly Route[];
}

export interface Route {
  readonly target: string;
  /** Advice for the agent; never evaluated. */
  readonly when?: string;
}

export function isWorkNode(node: WorkflowNode): node is WorkNode {
  return node.type !== 'lifecycle';
}

/** Whether a valid report of a node counts only once a person has agreed. */
export function needsPerson(node: WorkflowNode, report: { readonly status: 'success' | 'failure' }): boolean {
  return node.type === 'hitl' && !(node.autoReject && report.status === 'failure');
}

/** The work nodes by name, sorted: the nodes that have a mailbox. */
export function workNodes(workflow: WorkflowDefinition): readonly (readonly [name: string, node: WorkNode])[] {
  return Object.entries(workflow.nodes).flatMap(([name, node]) => (isWorkNode(node) ? [[name, node] as const] : [])).sort(([a], [b]) => (a < b ? -1 : 1));
}
