import { reportContract, type Routes } from 'relay-flow-plugin/report';
import type { PromptVariables } from '../../harness/prompts.js';
import type { WorkspaceRef } from '../../runner/port.js';
import { resolveTaskConfig, transitionFor } from '../../task/config/resolve.js';
import type { LifecyclePoint, TaskConfig } from '../../task/task-config.js';
import type { TaskRepo, Transition } from '../../task/port.js';
import type { WorkNode } from '../../workflow/definition.js';
import { nextStepsText, routeLines, routesOf } from '../../workflow/routes.js';
import type { RunRef } from '../../workflow/interpreter/activities.js';
import { titleOf } from '../ids.js';
import type { OpenRepo, Workshop } from '../workshop.js';

/** Where an activity works: the repository of a run, and what its settings come to at a node. */
export interface Place {
  readonly repo: OpenRepo;
  readonly workspace: WorkspaceRef;
}

export function placeOf(shop: Workshop, { input }: Pick<RunRef, 'input'>): Place {
  const repo = shop.repos.get(input.repo);
  return { repo, workspace: { repo: { name: repo.name, path: repo.path }, ticket: input.ticket.key } };
}

/** The settings at a node, or those of the workflow without one. */
export function taskConfigAt(shop: Workshop, place: Place, { input }: Pick<RunRef, 'input'>, node?: string): TaskConfig {
  const declared = node === undefined ? undefined : input.workflow.nodes[node]?.taskConfig;
  return resolveTaskConfig({
    system: shop.taskSystem,
    layers: {
      ...place.repo.layers,
      ...(input.workflow.taskConfig === undefined ? {} : { workflow: input.workflow.taskConfig }),
      ...(declared === undefined ? {} : { node: declared }),
    },
    ...(node === undefined ? {} : { node }),
  });
}

export function transitionAt(place: Place, point: LifecyclePoint, config: TaskConfig): Transition {
  return transitionFor(point, { config, default: place.repo.task.lifecycleDefault(point) });
}

/** What templates may say about a node. */
export interface NodeFacts {
  readonly routes: Routes;
  readonly contract: string;
  readonly variables: PromptVariables & { readonly runID: string; readonly successRoutes: string; readonly failureRoutes: string; readonly report: string };
}

export function nodeFacts(shop: Workshop, { runId, input }: Pick<RunRef, 'runId' | 'input'>, name: string, node: WorkNode, mailbox: string): NodeFacts {
  const routes = routesOf(node);
  const contract = reportContract(routes);
  return {
    routes, contract,
    variables: {
      runID: runId,
      taskSystem: shop.taskSystem.title,
      ticket: input.ticket.key,
      workflow: input.workflow.name,
      repo: input.repo,
      node: name,
      nodeType: node.type,
      agent: node.agent,
      nodeDescription: node.description.replaceAll('{{ticket}}', input.ticket.key),
      nextSteps: nextStepsText(routes),
      successRoutes: routeLines(routes.success),
      failureRoutes: routeLines(routes.failure),
      mailbox,
      report: contract,
    },
  };
}

export function titleAt({ input }: Pick<RunRef, 'input'>, node: string): string {
  return titleOf(input.ticket.key, node);
}

/** A marker has a line of its own. */
const ROOM_FOR_MARKER = 200;

/** How long texts may be that a task system is given. */
export function limitOf(task: Pick<TaskRepo, 'longestText'>): { readonly limit?: number } {
  return task.longestText === undefined ? {} : { limit: task.longestText - ROOM_FOR_MARKER };
}
