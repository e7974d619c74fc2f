/** A ticket as a tracker hands it over. What is missing, or is no text, reads as blank. */
export interface Ticket {
  source: string;
  title: string;
  body: string;
  identifier: string;
  url: string;
}

export function readTicket(input: unknown): Ticket {
  const issue = memberOf(input, 'issue');
  const text = (name: string): string => {
    const value = memberOf(issue, name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    source: text('source'),
    title: text('title'),
    body: text('body'),
    identifier: text('identifier'),
    url: text('url'),
  };
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const PLACEHOLDERS = ['software factory change', 'replace with your ticket title'];

/** Why a ticket cannot be worked on; empty when it can. */
export function refusalOf({ source, title, identifier }: Ticket): string {
  if (title === '') return 'The ticket has no title.';
  if (PLACEHOLDERS.includes(title.toLowerCase())) return `"${title}" is a placeholder, not a ticket.`;
  if (source === 'github' && identifier !== '' && !/^#\d+$/.test(identifier)) {
    return `"${identifier}" does not name a GitHub issue: it is written #<number>.`;
  }
  return '';
}

const TITLE_MAX = 240;

/** The title of the change: one line, at most 240 code points. */
export function titleOf(ticket: Ticket): string {
  return Array.from(ticket.title.replaceAll(/\s+/g, ' ')).slice(0, TITLE_MAX).join('').trim();
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

/** How the repository checks itself, where whoever starts the run knows it; empty otherwise. */
export function checkCommandOf(input: unknown): string {
  const command = memberOf(input, 'checkCommand');
  return typeof command === 'string' ? command.trim() : '';
}

/** The names of variables that checks need although they look like credentials. */
export function checkEnvOf(input: unknown): string[] {
  const names = memberOf(input, 'checkEnv');
  const isName = (name: unknown): name is string => typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name);
  return Array.isArray(names) ? names.filter(isName) : [];
}

/** Who is asked to review the change; empty when nobody is named. */
export function approverOf(input: unknown): string {
  const approver = memberOf(input, 'approver');
  return typeof approver === 'string' ? approver.trim() : '';
}
