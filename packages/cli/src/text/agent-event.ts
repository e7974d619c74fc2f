/** What agents report beside their work and a person who waits for them should see: why it takes longer, and what goes wrong. */
const NOTICES: ReadonlySet<unknown> = new Set(['error', 'notice', 'rate_limit', 'reconnecting', 'retry', 'subagent', 'warning']);

/**
 * An event of a coding agent as a person reads it, over several lines where its text has several; empty for what is only of use to a program. Not clean.
 * It may come from the transcript of another version, so that every member is asked for its type.
 */
export function agentEventText(event: Readonly<Record<string, unknown>>): string {
  const text = (key: string): string => (typeof event[key] === 'string' ? event[key] : '');
  switch (event['type']) {
    case 'message':
      return text('text');
    case 'tool':
      if (event['phase'] !== 'end') return `[${text('name')}] ${text('summary')}`.trimEnd();
      return event['failed'] === true ? `failed [${text('name')}] ${text('summary')}`.trimEnd() : '';
    case 'file_change':
      return `${text('change')} ${text('path')}`;
    case 'other':
      return NOTICES.has(event['name']) ? noticeText(text('name').replaceAll('_', ' '), event['detail']) : '';
    default:
      return '';
  }
}

/** `retry: attempt 1, of 10, status 529`. */
function noticeText(name: string, detail: unknown): string {
  if (typeof detail === 'string') return `${name}: ${detail}`;
  if (typeof detail !== 'object' || detail === null) return name;
  const facts = Object.entries(detail).flatMap(([key, value]) => (typeof value === 'string' || typeof value === 'number' ? [`${key} ${value}`] : []));
  return facts.length === 0 ? name : `${name}: ${facts.join(', ')}`;
}
