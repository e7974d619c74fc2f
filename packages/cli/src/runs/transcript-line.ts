/** A line of an agent's transcript as a person reads it; empty for what is only of use to a program. */
export function transcriptLine(line: string): string {
  const event = parsed(line);
  if (event === undefined) return line;
  const text = (key: string): string => (typeof event[key] === 'string' ? event[key] : '');
  switch (event['type']) {
    case 'task':
      return `task: ${text('text')}`;
    case 'message':
      return text('text');
    case 'tool':
      return event['phase'] === 'end' && event['failed'] !== true ? '' : `${event['failed'] === true ? 'failed ' : ''}[${text('name')}] ${text('summary')}`;
    case 'file_change':
      return `${text('change')} ${text('path')}`;
    case 'session':
      return `session ${text('sessionId')}`;
    case 'cut':
      return '… the transcript was cut here …';
    default:
      return '';
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
