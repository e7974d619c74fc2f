/** A ticket as a tracker hands it over. What is missing, or is no text, reads as blank. */
export type Ticket = ReturnType<typeof readTicket>;

export function readTicket(input: unknown) {
  const issue = memberOf(input, 'issue');
  return {
    source: textOf(issue, 'source'),
    title: textOf(issue, 'title').replaceAll(/\s+/g, ' '),
    body: textOf(issue, 'body'),
    identifier: textOf(issue, 'identifier'),
    url: textOf(issue, 'url'),
  };
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function textOf(value: unknown, name: string): string {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text.trim() : '';
}

/** Why a ticket cannot be worked on; empty when it can. */
export function refusalOf({ source, title, identifier }: Ticket): string {
  if (title === '') return 'The ticket has no title.';
  if (['software factory change', 'replace with your ticket title'].includes(title.toLowerCase())) {
    return `"${title}" is a placeholder, not a ticket.`;
  }
  if (source === 'github' && identifier !== '' && !/^#\d+$/.test(identifier)) {
    return `"${identifier}" does not name a GitHub issue: it is written #<number>.`;
  }
  return '';
}

/** The title of the change: at most 240 code points. */
export function titleOf(ticket: Ticket): string {
  return Array.from(ticket.title).slice(0, 240).join('').trim();
}

/** The line of the change that names, or closes, the ticket. */
export function referenceOf({ source, identifier, url, title }: Ticket): string {
  const closes = { github: 'Fixes', gitlab: 'Closes' }[source];
  if (closes !== undefined && /^#\d+$/.test(identifier)) return `${closes} ${identifier}`;
  return `Ticket: ${(url || identifier || title).replaceAll(/\s+/g, ' ')}`;
}

/** The ticket in the name of a branch. */
export function slugOf({ identifier, title }: Ticket): string {
  const slug = `${identifier} ${title}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return slug.slice(0, 50).replaceAll(/^-+|-+$/g, '') || 'change';
}

/** The names of variables that checks need although they look like credentials. */
export function checkEnvOf(input: unknown): string[] {
  const names = memberOf(input, 'checkEnv');
  return Array.isArray(names) ? names.map(String).filter((name) => /^[A-Za-z_]\w*$/.test(name)) : [];
}
