import type { Ticket } from '../port.js';
import type { TaskConfig } from '../task-config.js';

/** Who the server signs in as. */
const CURRENT_USER = 'currentuser()';

/**
 * Whether a ticket is one to be picked up. Status, type and labels are compared to the letter, people without regard to capital letters. A filter that is absent or
 * empty lets everything pass; a ticket without type or assignee passes none that is not. Says nothing about blocked or claimed tickets.
 *
 * @param options.self every word for the account of the server; without it `currentUser()` is nobody
 */
export function matchesFilters(ticket: Pick<Ticket, 'status' | 'type' | 'labels' | 'assignee'>, { filters }: Pick<TaskConfig, 'filters'>, { self = [] }: { readonly self?: readonly string[] } = {}): boolean {
  const people = (filters.assignees ?? []).flatMap((person) => (fold(person) === CURRENT_USER ? self : [person])).map(fold);
  return (
    anyOf(filters.parentStatuses, [ticket.status]) &&
    anyOf(filters.issueTypes, ticket.type === undefined ? [] : [ticket.type]) &&
    (filters.labels ?? []).every((label) => ticket.labels.includes(label)) &&
    ((filters.assignees ?? []).length === 0 || ticket.assignee.some((word) => people.includes(fold(word))))
  );
}

function anyOf(wanted: readonly string[] = [], values: readonly string[]): boolean {
  return wanted.length === 0 || values.some((value) => wanted.includes(value));
}

const fold = (word: string): string => word.trim().toLowerCase();
