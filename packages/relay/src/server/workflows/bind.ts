import { RelayError } from '../../errors/relay-error.js';
import { Complaints } from '../../task/config/complaints.js';
import { resolveTaskConfig } from '../../task/config/resolve.js';
import { workNodes, type WorkflowDefinition } from '../../workflow/definition.js';
import type { Workshop } from '../workshop.js';

/**
 * Whether a workflow can walk tickets of all of its repositories: settings of every node decode and name what exists, the runner and the harness can be used. For
 * all of its repositories or for none. Throws `task_config_invalid` with every mistake in the settings of all of them, else the first thing that is in the way.
 */
export async function checkBinding(shop: Workshop, workflow: WorkflowDefinition): Promise<void> {
  await checkSettings(shop, workflow);
  for (const name of workflow.repos) {
    const repo = shop.repos.get(name);
    await shop.runner.validateRepo({ name, path: repo.path });
    const agents = new Set(workNodes(workflow).map(([, { agent }]) => agent));
    for (const agent of agents) await shop.harness.validateAgent({ path: repo.path, agent });
  }
  if (shop.harness.kind === 'terminal' && shop.runner.terminals === undefined) {
    throw new RelayError('harness_rejected', `The harness ${shop.harness.name} works in a terminal, and the runner ${shop.runner.name} has none.`, { hint: 'Choose a runner with terminals, or a headless harness such as command or claude.' });
  }
}

async function checkSettings(shop: Workshop, { repos, taskConfig, nodes }: WorkflowDefinition): Promise<void> {
  const complaints = new Complaints();
  for (const name of repos) {
    const repo = shop.repos.get(name);
    const shared = { ...repo.layers, ...(taskConfig === undefined ? {} : { workflow: taskConfig }) };
    const places = [{ layers: shared }, ...Object.entries(nodes).flatMap(([node, own]) => (own.taskConfig === undefined ? [] : [{ node, layers: { ...shared, node: own.taskConfig } }]))];
    for (const place of places) await complaints.whether(async () => await repo.task.validate(resolveTaskConfig({ system: shop.taskSystem, ...place })));
  }
  complaints.refuse();
}
