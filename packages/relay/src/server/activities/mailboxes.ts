import type { MailboxSpec } from '../../task/port.js';
import { workNodes } from '../../workflow/definition.js';
import type { RunRef } from '../../workflow/interpreter/activities.js';
import { mailboxDescription } from '../../workflow/task-texts.js';
import type { Workshop } from '../workshop.js';
import { limitOf, nodeFacts, placeOf, taskConfigAt, titleAt } from './place.js';
import { timed } from './timed.js';
import { fault } from '../../faults/fault.js';

/** The mailboxes of a run, with their instructions. */
export function mailboxesOf(shop: Workshop, run: Pick<RunRef, 'runId' | 'input'>): readonly MailboxSpec[] {
  const place = placeOf(shop, run);
  return workNodes(run.input.workflow).map(([node, declared]) => {
    const config = taskConfigAt(shop, place, run, node);
    const title = titleAt(run, node);
    return {
      node, title,
      // The key of the mailbox is not known yet.
      description: mailboxDescription(config.templates.mailboxDescription, nodeFacts(shop, run, node, declared, title).variables, limitOf(place.repo.task)),
      ...(config.assignee === undefined ? {} : { assignee: config.assignee }),
    };
  });
}

export async function ensureMailboxes(shop: Workshop, run: RunRef): Promise<Readonly<Record<string, string>>> {
  const { repo } = placeOf(shop, run);
  const keys = await timed(shop, run.runId, 'task', () => repo.task.ensureMailboxes({ ticket: run.input.ticket.key, mailboxes: mailboxesOf(shop, run) }));
  fault('mailboxes.after');
  shop.store.updateRun(run.runId, { mailboxes: keys, at: shop.clock.now() });
  return keys;
}

/** Another attempt begins where the one before was canceled: nothing of it runs any more, and its mailboxes are open again. */
export async function reopen(shop: Workshop, run: RunRef & { readonly mailboxes: Readonly<Record<string, string>> }): Promise<void> {
  const { repo, workspace } = placeOf(shop, run);
  await timed(shop, run.runId, 'runner', async () => await shop.runner.terminals?.closeAll(workspace));
  await timed(shop, run.runId, 'task', () => repo.task.reopenMailboxes({ ticket: run.input.ticket.key, mailboxes: Object.values(run.mailboxes).toSorted() }));
}
