import { feedbackText, summaryText, type Report } from 'relay-flow-plugin/report';
import { isWorkNode } from '../../workflow/definition.js';
import type { RunRef } from '../../workflow/interpreter/activities.js';
import type { Visit } from '../../workflow/interpreter/input.js';
import { feedbackComment, summaryComment } from '../../workflow/task-texts.js';
import { markers } from '../ids.js';
import type { Workshop } from '../workshop.js';
import { limitOf, nodeFacts, placeOf, taskConfigAt, transitionAt, type Place } from './place.js';
import { headlessKey, stopRuntime } from './runtimes.js';
import { timed } from './timed.js';
import { underWay } from './under-way.js';
import { fault } from '../../faults/fault.js';

type Settling = RunRef & { readonly visit: Visit; readonly mailboxes: Readonly<Record<string, string>>; readonly reportId: string; readonly report: Report };

/**
 * What an accepted report leads to before the next node is entered. Comments come before the mailbox is done, so that the next agent finds its feedback, and each
 * carries a marker, so that none is written twice.
 */
export async function settle(shop: Workshop, run: Settling): Promise<void> {
  const { store, clock } = shop;
  const { runId, visit, report, reportId } = run;
  const place = placeOf(shop, run);
  const at = clock.now();
  const waiting = store.lastStep(runId)?.waitingSince !== null;
  store.together(() => {
    store.noteReport(runId, reportId);
    store.dropProposal(runId);
    store.waitStep(runId, visit.sequence, false, at);
    store.updateStep(runId, visit.sequence, { status: 'running' });
    store.updateRun(runId, { ...underWay(shop, runId), at });
    if (waiting) store.log(runId, { at, node: visit.node, visit: visit.visitId, text: `${visit.node} reported ${report.status}; next is ${report.nextStep}.` });
  });
  fault('settle.shown');
  await timed(shop, runId, 'task', () => comment(shop, run, place));
  await rest(shop, run);
  fault('settle.rested');
  store.together(() => {
    const { completed, issuesDiscovered } = report.summary;
    store.updateStep(runId, visit.sequence, { status: report.status === 'success' ? 'succeeded' : 'failed', message: report.status === 'success' ? completed : issuesDiscovered, route: report.nextStep, finishedAt: clock.now() });
  });
}

async function comment(shop: Workshop, run: Settling, place: Place): Promise<void> {
  const { input, visit, report, mailboxes } = run;
  const { task } = place.repo;
  const declared = input.workflow.nodes[visit.node];
  if (declared === undefined || !isWorkNode(declared)) return;
  const variables = {
    ...nodeFacts(shop, run, visit.node, declared, visit.mailbox).variables,
    sourceNode: visit.node, targetNode: report.nextStep, summaryReport: summaryText(report), feedbackReport: feedbackText(report),
  };
  const own = taskConfigAt(shop, place, run, visit.node);
  await task.addComment({ key: visit.mailbox, marker: markers.summary(visit.visitId), body: summaryComment(own.templates.summaryComment, variables, limitOf(task)) });
  fault('settle.summary');
  const next = mailboxes[report.nextStep];
  if (next !== undefined) {
    const { templates } = taskConfigAt(shop, place, run, report.nextStep);
    await task.addComment({ key: next, marker: markers.feedback(visit.visitId), body: feedbackComment(templates.feedbackComment, { ...variables, mailbox: next }, limitOf(task)) });
    fault('settle.feedback');
  }
  const { taskStatus } = transitionAt(place, 'complete', own);
  if (taskStatus !== undefined) await task.transition({ ticket: input.ticket.key, mailbox: visit.mailbox, transition: { taskStatus } });
  fault('settle.mailbox');
}

/** Puts the node's runtime to rest as config.yaml says. */
async function rest(shop: Workshop, { runId, visit }: Settling): Promise<void> {
  const { config, store, headless } = shop;
  if (shop.harness.kind === 'headless') {
    // Its process has ended with the report; what it left behind ends now.
    await headless.stop(headlessKey(runId, visit.node));
    store.dropRuntime(runId, visit.node);
  } else if (!config.keepTerminalsAlive) {
    await timed(shop, runId, 'runner', () => stopRuntime(shop, { runId, node: visit.node }));
  }
  if (!config.keepSessionsAlive) store.dropSession(runId, visit.node);
}
