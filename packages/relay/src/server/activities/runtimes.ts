import type { HeadlessProcess } from '../../harness/headless/visit.js';
import type { WorkspaceRef } from '../../runner/port.js';
import type { WorkflowDefinition } from '../../workflow/definition.js';
import type { Workshop } from '../workshop.js';

/** Names a visit's process among all that the server runs: one per node of a run. */
export function headlessKey(runId: string, node: string): string {
  return `${runId} ${node}`;
}

/** Stops whatever runs for a ticket: processes of this server, those that a dead server left, and terminals, of which those of an unknown workspace are closed as far as they were recorded. */
export async function stopRuntimes(shop: Workshop, { runId, workflow, workspace }: { readonly runId: string; readonly workflow: WorkflowDefinition; readonly workspace: WorkspaceRef | undefined }): Promise<void> {
  for (const node of Object.keys(workflow.nodes)) await stopRuntime(shop, { runId, node });
  if (workspace !== undefined) await shop.runner.terminals?.closeAll(workspace);
}

/** Stops what runs at one node, and forgets it. */
export async function stopRuntime(shop: Workshop, { runId, node }: { readonly runId: string; readonly node: string }): Promise<void> {
  const { store, headless, runner } = shop;
  await headless.stop(headlessKey(runId, node));
  const runtime = store.runtime(runId, node);
  if (runtime === undefined) return;
  if (runtime.process !== null) await headless.reap(JSON.parse(runtime.process) as HeadlessProcess);
  if (runtime.handle !== null) await runner.terminals?.close({ handle: runtime.handle });
  store.dropRuntime(runId, node);
}
