/** A ticket as a tracker hands it over. What is missing, or is no text, reads as blank. */
export type Ticket = ReturnType<typeof readTicket>;

export function readTicket(input: unknown) {
  const issue = memberOf(input, 'issue');
  return {
    source: textOf(issue, 'source'),
    title: lineOf(issue, 'title', 240),
    body: textOf(issue, 'body'),
    identifier: lineOf(issue, 'identifier'),
    url: lineOf(issue, 'url'),
  };
}

export function memberOf(value: unknown, name: string) {
  return (value as Record<string, unknown> | null | undefined)?.[name];
}

export function textOf(value: unknown, name: string) {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text.replaceAll('\0', '').trim() : '';
}

/** A text on one line, of at most so many code points. */
function lineOf(value: unknown, name: string, most = 2_000) {
  return Array.from(textOf(value, name).replaceAll(/\s+/g, ' ')).slice(0, most).join('').trim();
}

/** Why a ticket cannot be worked on; empty when it can. */
export function refusalOf({ source, title, identifier }: Ticket) {
  if (title === '') return 'The ticket has no title.';
  if (/^(software factory change|replace with your ticket title)$/i.test(title)) {
    return `"${title}" is a placeholder, not a ticket.`;
  }
  if (source === 'github' && identifier !== '' && !/^#\d+$/.test(identifier)) {
    return `"${identifier}" does not name a GitHub issue: it is written #<number>.`;
  }
  return '';
}

/** The line of the change that names, or closes, the ticket. */
export function referenceOf({ source, identifier, url, title }: Ticket) {
  const closes = { github: 'Fixes', gitlab: 'Closes' }[source];
  return closes && /^#\d+$/.test(identifier) ? `${closes} ${identifier}` : `Ticket: ${url || identifier || title}`;
}

/** The ticket in the name of a branch. */
export function slugOf({ identifier, title }: Ticket) {
  const slug = `${identifier} ${title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return slug.slice(0, 50).replaceAll(/^-+|-+$/g, '');
}

export function variablesOf(value: unknown, name: string) {
  const names = memberOf(value, name);
  return Array.isArray(names) ? names.map(String).filter((each) => /^[A-Za-z_]\w*$/.test(each)) : [];
}
