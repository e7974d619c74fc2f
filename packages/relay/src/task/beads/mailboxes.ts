import { RelayError } from '../../errors/relay-error.js';
import type { MailboxSpec } from '../port.js';
import type { Issue } from './issue.js';
import type { IssueChange } from './workspace.js';

/** The child of each node that there is, by node. Throws `task_conflict` when it takes a person to say which one is meant. */
export function findMailboxes(children: readonly Issue[], specs: readonly MailboxSpec[]): ReadonlyMap<string, Issue> {
  const found = new Map<string, Issue>();
  for (const { node, title } of specs) {
    const [child, ...more] = children.filter((one) => one.title === title);
    if (more.length > 0) {
      const ids = [child, ...more].map((one) => one?.id ?? '');
      throw new RelayError('task_conflict', `There are several mailboxes with the title ${title}: ${ids.join(', ')}.`, { hint: 'Delete all but one, or give the others another title.', evidence: { title, issues: ids } });
    }
    if (child !== undefined) found.set(node, child);
  }
  return found;
}

/** What a mailbox that is there lacks; an empty change when nothing. `bd` may have cut blanks at the end of a text. */
export function lackOf(mailbox: Pick<Issue, 'description' | 'assignee'>, { description, assignee }: MailboxSpec): IssueChange {
  return {
    ...(mailbox.description.trimEnd() === description.trimEnd() ? {} : { description }),
    ...(assignee === undefined || mailbox.assignee === assignee ? {} : { assignee }),
  };
}
