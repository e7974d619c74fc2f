import { workNodes } from '../../workflow/definition.js';
import type { RunRef } from '../../workflow/interpreter/activities.js';
import type { Visit } from '../../workflow/interpreter/input.js';
import type { Workshop } from '../workshop.js';
import { placeOf, taskConfigAt, transitionAt } from './place.js';
import { stopRuntimes } from './runtimes.js';
import { timed } from './timed.js';
import { underWay } from './under-way.js';
import { fault } from '../../faults/fault.js';

export async function validateAgents(shop: Workshop, run: RunRef): Promise<void> {
  const { repo } = placeOf(shop, run);
  const agents = new Set(workNodes(run.input.workflow).map(([, { agent }]) => agent));
  for (const agent of agents) await timed(shop, run.runId, 'harness', () => shop.harness.validateAgent({ path: repo.path, agent }));
}

export async function enterStart(shop: Workshop, run: RunRef): Promise<void> {
  const { store, clock, runner } = shop;
  const { runId, input } = run;
  const place = placeOf(shop, run);
  const at = clock.now();
  store.together(() => {
    store.enterStep(runId, { sequence: 1, node: 'start', visit: null, type: 'lifecycle', parent: null, depth: 0, at });
    store.updateRun(runId, { ...underWay(shop, runId), node: 'start', startedAt: store.run(runId)?.startedAt ?? at, at });
  });
  fault('start.shown');
  // The parent of a later attempt stays as the person who restarted it left it.
  if (input.attempt === 1) {
    const transition = transitionAt(place, 'start', taskConfigAt(shop, place, run, 'start'));
    await timed(shop, runId, 'task', () => place.repo.task.transition({ ticket: input.ticket.key, transition }));
  }
  fault('start.transition');
  const { path } = await timed(shop, runId, 'runner', () => runner.ensureWorkspace(place.workspace));
  fault('start.workspace');
  store.together(() => {
    store.updateRun(runId, { workspace: path, at: clock.now() });
    store.updateStep(runId, 1, { status: 'succeeded', finishedAt: clock.now(), route: input.workflow.nodes['start']?.onSuccess[0]?.target ?? 'end' });
  });
}

export async function enterNode(shop: Workshop, run: RunRef & { readonly visit: Visit }): Promise<void> {
  const { store, clock, runner } = shop;
  const { runId, input, visit } = run;
  const place = placeOf(shop, run);
  const declared = input.workflow.nodes[visit.node];
  const at = clock.now();
  // Before anything is launched: a session that speaks up at once must be known to belong to this visit.
  store.together(() => {
    // Told once, however often the rest has to be tried.
    if (store.run(runId)?.visit !== visit.visitId) store.log(runId, { at, node: visit.node, visit: visit.visitId, text: `Entered ${visit.node}${visit.depth === 0 ? '' : ` for the ${ordinal(visit.depth + 1)} time`}.` });
    store.enterStep(runId, { sequence: visit.sequence, node: visit.node, visit: visit.visitId, type: declared?.type ?? 'agent', parent: visit.parentSequence, depth: visit.depth, at });
    store.updateRun(runId, { ...underWay(shop, runId), node: visit.node, visit: visit.visitId, at });
  });
  fault('enter.guard');
  const config = taskConfigAt(shop, place, run, visit.node);
  await timed(shop, runId, 'task', () => place.repo.task.transition({
    ticket: input.ticket.key, mailbox: visit.mailbox, transition: transitionAt(place, 'work', config),
    ...(config.assignee === undefined ? {} : { assignee: config.assignee }),
  }));
  fault('enter.transition');
  const { path } = await timed(shop, runId, 'runner', () => runner.ensureWorkspace(place.workspace));
  fault('enter.workspace');
  if (path !== store.run(runId)?.workspace) store.updateRun(runId, { workspace: path, at: clock.now() });
}

export async function finish(shop: Workshop, run: RunRef & { readonly sequence: number; readonly parentSequence: number }): Promise<void> {
  const { store, clock, runner } = shop;
  const { runId, input, sequence } = run;
  const place = placeOf(shop, run);
  const at = clock.now();
  store.together(() => {
    store.enterStep(runId, { sequence, node: 'end', visit: null, type: 'lifecycle', parent: run.parentSequence, depth: 0, at });
    store.updateRun(runId, { ...underWay(shop, runId), node: 'end', visit: null, at });
  });
  const transition = transitionAt(place, 'end', taskConfigAt(shop, place, run, 'end'));
  await timed(shop, runId, 'task', () => place.repo.task.transition({ ticket: input.ticket.key, transition }));
  fault('finish.transition');
  await timed(shop, runId, 'runner', async () => {
    await runner.setStatus({ ...place.workspace, status: 'completed' });
    await stopRuntimes(shop, { runId, workflow: input.workflow, workspace: place.workspace });
    fault('finish.stopped');
    if (input.workflow.cleanupRunnerOnEnd) await runner.removeWorkspace(place.workspace);
  });
  store.together(() => {
    store.updateStep(runId, sequence, { status: 'succeeded', finishedAt: clock.now() });
    store.updateRun(runId, { state: 'completed', lastError: null, retry: null, attention: null, finishedAt: clock.now(), at: clock.now() });
    store.log(runId, { at: clock.now(), node: 'end', visit: null, text: 'The ticket reached its end.' });
  });
  fault('finish.shown');
}

function ordinal(count: number): string {
  const last = count % 100 >= 11 && count % 100 <= 13 ? 0 : count % 10;
  return `${count}${last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}
