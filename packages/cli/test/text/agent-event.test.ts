import { expect, test } from 'vitest';
import { agentEventText } from '../../src/text/agent-event.js';

test.each([
  [{ type: 'message', text: 'I look\nat it' }, 'I look\nat it'],
  [{ type: 'tool', name: 'Bash', summary: 'ls', phase: 'start' }, '[Bash] ls'],
  [{ type: 'tool', name: 'Bash', summary: '', phase: 'end' }, ''],
  [{ type: 'tool', name: 'Bash', summary: '', phase: 'end', failed: true }, 'failed [Bash]'],
  [{ type: 'file_change', path: 'a.ts', change: 'create' }, 'create a.ts'],
  [{ type: 'other', name: 'error', detail: 'unexpected status 401' }, 'error: unexpected status 401'],
  [{ type: 'other', name: 'retry', detail: { attempt: 1, of: 10, status: 529, error: null } }, 'retry: attempt 1, of 10, status 529'],
  [{ type: 'other', name: 'rate_limit', detail: { status: 'allowed_warning', limit: 'five_hour', resetsAt: null } }, 'rate limit: status allowed_warning, limit five_hour'],
  [{ type: 'other', name: 'warning' }, 'warning'],
  [{ type: 'other', name: 'todo_list', detail: { items: [] } }, ''],
  [{ type: 'other', name: 'stderr', detail: 'noise' }, ''],
  [{ type: 'session', sessionId: 'x' }, ''],
  [{ type: 'usage', inputTokens: 1, outputTokens: 1 }, ''],
  [{ type: 'message' }, ''],
])('%j is read as %j', (event, text) => {
  expect(agentEventText(event)).toBe(text);
});
