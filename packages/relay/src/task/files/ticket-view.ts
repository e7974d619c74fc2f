import type { Ticket } from '../port.js';
import { sameStatus, type Statuses } from './settings.js';
import type { Matter } from './text/matter.js';

/** A ticket without a status has not begun. */
export function statusOf({ status }: Matter, { start }: Statuses): string {
  return status ?? start;
}

export function isDone(matter: Matter, statuses: Statuses): boolean {
  return sameStatus(statusOf(matter, statuses), statuses.end);
}

export function ticketOf(key: string, matter: Matter, blocked: boolean, statuses: Statuses): Ticket {
  return {
    id: key,
    key,
    title: matter.title ?? key,
    status: statusOf(matter, statuses),
    done: isDone(matter, statuses),
    blocked,
    ...(matter.type === undefined ? {} : { type: matter.type }),
    labels: matter.labels,
    assignee: matter.assignee === undefined ? [] : [matter.assignee],
  };
}
