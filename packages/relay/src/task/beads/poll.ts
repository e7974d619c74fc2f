import { isClaimed } from '../claim-labels.js';
import type { TaskProblem, Ticket } from '../port.js';
import type { Issue } from './issue.js';
import { belongsTo, repoLabelsOf } from './labels.js';
import { CLOSED } from './status.js';
import { isPart, ticketOf } from './ticket.js';

export interface Polled {
  readonly tickets: readonly Ticket[];
  readonly problems: readonly TaskProblem[];
}

/**
 * The tickets of a repository among what the two lists of a workspace have. Pure. A claimed ticket's own row replaces the one in the list of what is ready, which
 * was read earlier. Versions of `bd` give children in spite of `--no-parent`; a mailbox must never become a ticket.
 */
export function mergePolls({ ready, claimed, label }: { readonly ready: readonly Issue[]; readonly claimed: readonly Issue[]; readonly label: string }): Polled {
  const rows = new Map<string, Issue>();
  for (const issue of [...ready, ...claimed]) if (!isPart(issue) && issue.status !== CLOSED) rows.set(issue.id, issue);
  const startable = new Set(ready.map(({ id }) => id));
  const tickets: Ticket[] = [];
  const problems: TaskProblem[] = [];
  for (const issue of rows.values()) {
    if (belongsTo(issue.labels, label)) tickets.push(ticketOf(issue, issue.status === 'blocked' || (issue.status === 'open' && !startable.has(issue.id))));
    else problems.push(...bindingProblem(issue, label));
  }
  return { tickets, problems };
}

/** A claimed ticket that no repository may walk needs a person. One that was never claimed may well be nobody's business. */
function bindingProblem({ id, labels }: Issue, label: string): readonly TaskProblem[] {
  const bound = repoLabelsOf(labels);
  // That of another repository is not ours to speak of.
  if (!isClaimed(labels) || (bound.length > 0 && !bound.includes(label))) return [];
  return [{ where: id, text: `${id} is claimed by a workflow and ${bound.length === 0 ? 'has no repo: label' : `has several repo: labels (${bound.join(', ')})`}, so no repository works on it.`, hint: bound.length === 0 ? `Add one with \`bd label add ${id} ${label}\` if it belongs to this repository.` : 'Remove all but one with `bd label remove`.' }];
}
