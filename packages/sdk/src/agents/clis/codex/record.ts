import type { AgentEvent } from '../../../run/events.js';
import { countOf, listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { shortened, shownPath } from '../../driver/shown.js';

/** What an item of the work of Codex shows, in `item.started` and `item.completed`. Paths are told from `cwd` where they lie in it. Pure. */
export function eventsOf(item: JsonRecord, phase: 'start' | 'end', cwd: string): AgentEvent[] {
  const type = textOf(item['type']) ?? 'item';
  const status = item['status'];
  const failed = phase === 'end' && (status === 'failed' || status === 'declined' || (countOf(item['exit_code']) ?? 0) > 0);
  const tool = (name: string, summary: string): AgentEvent => ({ type: 'tool', name, summary: phase === 'start' ? shortened(summary) : '', phase, ...(failed ? { failed } : {}) });
  switch (type) {
    case 'agent_message':
      return phase === 'end' ? [{ type: 'message', text: textOf(item['text']) ?? '' }] : [];
    case 'command_execution':
      return [tool('shell', commandOf(textOf(item['command']) ?? ''))];
    case 'file_change': {
      const changes = listOf(item['changes']).map(recordOf);
      const event = tool('apply_patch', changes.map((change) => shownPath(cwd, textOf(change['path']) ?? '')).join(', '));
      return phase === 'start' || failed ? [event] : [event, ...changes.flatMap((change) => changeOf(change, cwd))];
    }
    case 'mcp_tool_call':
      return [tool(`${textOf(item['server']) ?? 'mcp'}.${textOf(item['tool']) ?? 'tool'}`, JSON.stringify(item['arguments'] ?? {}))];
    case 'collab_tool_call':
      return [tool(textOf(item['tool']) ?? 'agent', textOf(item['prompt']) ?? '')];
    case 'web_search':
      return [tool('web_search', textOf(item['query']) ?? '')];
    case 'error':
    case 'reasoning':
      return [];
    default:
      return phase === 'end' ? [{ type: 'other', name: type, detail: item }] : [];
  }
}

const CHANGES = { add: 'create', update: 'modify', delete: 'delete' } as const;

function changeOf({ path: file, kind }: JsonRecord, cwd: string): AgentEvent[] {
  if (typeof file !== 'string') return [];
  return [{ type: 'file_change', path: shownPath(cwd, file), change: CHANGES[kind as keyof typeof CHANGES] ?? 'modify' }];
}

/** A command without the shell that Codex wraps it in. */
function commandOf(command: string): string {
  return /^\S*sh -l?c (["'])([\s\S]*)\1$/.exec(command)?.[2] ?? command;
}
