import type { Ticket } from '../port.js';
import type { Issue } from './issue.js';
import { MAILBOX } from './labels.js';
import { CLOSED } from './status.js';

/** As the port has it, without the text. */
export function ticketOf({ id, title, status, issue_type: type, labels, assignee }: Issue, blocked: boolean): Ticket {
  return {
    id, key: id, title, status, done: status === CLOSED, blocked,
    ...(type === '' ? {} : { type }),
    labels,
    assignee: assignee.trim() === '' ? [] : [assignee],
  };
}

/** Whether it is no ticket: somebody's child, or a mailbox, also one whose parent was taken from it. */
export function isPart({ parent, labels }: Pick<Issue, 'parent' | 'labels'>): boolean {
  return parent !== '' || labels.includes(MAILBOX);
}

/** What must be done before an issue; the relation to its parent is another one. */
export function blockersOf({ dependencies }: Issue): readonly { readonly id: string; readonly status: string }[] {
  return dependencies.filter(({ type }) => type === 'blocks');
}
