import type { HeadlessProcess } from '../../harness/headless/visit.js';
import type { RunRef } from '../../workflow/interpreter/activities.js';
import type { Workshop } from '../workshop.js';
import { placeOf, type Place } from './place.js';

/** Names a visit's process among all that the server runs: one per node of a run. */
export function headlessKey(runId: string, node: string): string {
  return `${runId} ${node}`;
}

/** Stops whatever runs for a ticket: terminals, processes of this server, and those that a dead server left. */
export async function stopRuntimes(shop: Workshop, run: Pick<RunRef, 'runId' | 'input'>, place: Place = placeOf(shop, run)): Promise<void> {
  const { runId, input } = run;
  for (const node of Object.keys(input.workflow.nodes)) await stopRuntime(shop, { runId, node });
  await shop.runner.terminals?.closeAll(place.workspace);
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
