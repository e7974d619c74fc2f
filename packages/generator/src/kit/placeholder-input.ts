import type { Draft } from '../draft/schema.js';

/** Refused by every flow as a title, so that nothing is spent on it. */
export const PLACEHOLDER_TITLE = 'Replace with your ticket title';

/** The input of a flow with a ticket that has to be filled in. What the draft filters by is filled in already: the ticket that it becomes is one that the flow takes. */
export function placeholderInput({ sources }: Draft): Record<string, unknown> {
  const [source] = sources;
  if (source === undefined) throw new TypeError('A draft names at least one source.');
  const { kind, ...filters } = source;
  const { contains, labels = [], ...rest } = { contains: undefined, labels: undefined, ...filters };
  return {
    issue: {
      source: kind,
      // Left empty, since a number that nobody changed would close somebody else's ticket.
      identifier: '',
      title: PLACEHOLDER_TITLE,
      body: ['Replace with what the ticket says: what is wrong or wanted, and how one sees that it is done.', ...(contains === undefined ? [] : [contains])].join('\n'),
      labels,
      ...(kind === 'slack' || kind === 'markdown' ? {} : { url: '' }),
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    },
    approver: '',
  };
}
