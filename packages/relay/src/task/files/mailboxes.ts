import { RelayError } from '../../errors/relay-error.js';
import type { MailboxSpec } from '../port.js';
import type { TicketFolder } from './folder.js';
import { placeOf } from './ticket-key.js';

/** Keys of the mailboxes that there are, by node. Throws `task_conflict` when it takes a person to say which file is meant. */
export async function findMailboxes(folder: TicketFolder, ticket: string, specs: readonly MailboxSpec[]): Promise<ReadonlyMap<string, string>> {
  const byTitle = new Map<string, string[]>();
  const titles = new Map<string, string>();
  for (const key of await folder.mailboxes(ticket)) {
    const title = (await folder.read(key))?.title ?? '';
    titles.set(key, title);
    byTitle.set(title, [...(byTitle.get(title) ?? []), key]);
  }
  const found = new Map<string, string>();
  for (const { node, title } of specs) {
    const own = `${ticket}/${node}`;
    if (placeOf(own) === undefined) throw new RelayError('task_rejected', `A mailbox for the node ${node} of ${ticket} cannot be a file of this name.`, { hint: 'Rename the node.' });
    const [key, ...more] = byTitle.get(title) ?? [];
    if (more.length > 0) {
      throw new RelayError('task_conflict', `There are several mailboxes with the title ${title}: ${[key, ...more].map((one) => `${one}.md`).join(', ')}.`, { hint: 'Delete all but one, or give the others another title.', evidence: { title } });
    }
    if (key !== undefined) found.set(node, key);
    else if (titles.has(own)) throw new RelayError('task_conflict', `The file ${own}.md is in the place of the mailbox ${title} and has another title.`, { hint: `Give it the title ${title}, or move it away.`, evidence: { title } });
  }
  return found;
}
