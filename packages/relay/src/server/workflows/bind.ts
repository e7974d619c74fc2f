import { RelayError } from '../../errors/relay-error.js';
import { resolveTaskConfig } from '../../task/config/resolve.js';
import { workNodes, type WorkflowDefinition } from '../../workflow/definition.js';
import type { Workshop } from '../workshop.js';

/**
 * Whether a workflow can walk tickets of all of its repositories: settings of every node decode and name what exists, the runner and the harness can be used. For
 * all of its repositories or for none. Throws the first thing that is in the way, with the repository in its text.
 */
export async function checkBinding(shop: Workshop, workflow: WorkflowDefinition): Promise<void> {
  for (const name of workflow.repos) {
    const repo = shop.repos.get(name);
    const shared = { ...repo.layers, ...(workflow.taskConfig === undefined ? {} : { workflow: workflow.taskConfig }) };
    const layers = [shared, ...Object.values(workflow.nodes).flatMap(({ taskConfig }) => (taskConfig === undefined ? [] : [{ ...shared, node: taskConfig }]))];
    for (const layer of layers) await repo.task.validate(resolveTaskConfig({ system: shop.taskSystem, layers: layer }));
    await shop.runner.validateRepo({ name, path: repo.path });
    const agents = new Set(workNodes(workflow).map(([, { agent }]) => agent));
    for (const agent of agents) await shop.harness.validateAgent({ path: repo.path, agent });
  }
  if (shop.harness.kind === 'terminal' && shop.runner.terminals === undefined) {
    throw new RelayError('harness_rejected', `The harness ${shop.harness.name} works in a terminal, and the runner ${shop.runner.name} has none.`, { hint: 'Choose a runner with terminals, or a headless harness such as command or claude.' });
  }
}
