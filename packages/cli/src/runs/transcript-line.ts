import { agentEventText } from '../text/agent-event.js';

/** A line of an agent's transcript as a person reads it; empty for what is only of use to a program. */
export function transcriptLine(line: string): string {
  const event = parsed(line);
  if (event === undefined) return line;
  const text = (key: string): string => (typeof event[key] === 'string' ? event[key] : '');
  switch (event['type']) {
    case 'task':
      return `task: ${text('text')}`;
    case 'session':
      return `session ${text('sessionId')}`;
    case 'cut':
      return '… the transcript was cut here …';
    default:
      return agentEventText(event);
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
