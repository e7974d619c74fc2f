import type { AgentEvent } from '../../../run/events.js';
import { listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';

const LONGEST_SUMMARY = 200;

/**
 * What a `tool_use` shows: `part.tool`, and in `part.state` the input, the status and what was done. It is written when the call has ended, so its start
 * is told late; without one nobody who follows the run would see the tool.
 */
export function eventsOfTool(part: JsonRecord): AgentEvent[] {
  const state = recordOf(part['state']);
  const failed = state['status'] === 'error' || exitOf(state) !== 0;
  const name = textOf(part['tool']) ?? 'tool';
  return [
    { type: 'tool', name, summary: summaryOf(state), phase: 'start' },
    { type: 'tool', name, summary: '', phase: 'end', ...(failed ? { failed: true } : {}) },
    ...(state['status'] === 'completed' ? changesOf(name, recordOf(state['metadata'])) : []),
  ];
}

/** A command that ended badly is a call that ended well. */
function exitOf(state: JsonRecord): number {
  const exit = recordOf(state['metadata'])['exit'];
  return typeof exit === 'number' ? exit : 0;
}

function changesOf(tool: string, metadata: JsonRecord): AgentEvent[] {
  const file = textOf(metadata['filepath']);
  if (tool === 'write' && file !== undefined) return [{ type: 'file_change', path: file, change: metadata['exists'] === true ? 'modify' : 'create' }];
  const edited = textOf(recordOf(metadata['filediff'])['file']);
  if (tool === 'edit' && edited !== undefined) return [{ type: 'file_change', path: edited, change: 'modify' }];
  if (tool !== 'apply_patch') return [];
  return listOf(metadata['files']).flatMap((entry) => {
    const { filePath, type } = recordOf(entry);
    const path = textOf(filePath);
    if (path === undefined) return [];
    return [{ type: 'file_change' as const, path, change: type === 'add' ? ('create' as const) : type === 'delete' ? ('delete' as const) : ('modify' as const) }];
  });
}

/** What a tool was asked for, in a line. */
function summaryOf(state: JsonRecord): string {
  const input = recordOf(state['input']);
  const told = textOf(input['command']) ?? textOf(input['filePath']) ?? textOf(input['pattern']) ?? textOf(input['description']) ?? textOf(state['title']) ?? JSON.stringify(input);
  return told.length > LONGEST_SUMMARY ? `${told.slice(0, LONGEST_SUMMARY)}…` : told;
}
