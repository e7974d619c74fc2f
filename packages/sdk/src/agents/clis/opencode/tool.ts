import type { AgentEvent } from '../../../run/events.js';
import { listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { shortened, shownCall, shownPath } from '../../driver/shown.js';

/**
 * What a `tool_use` shows: `part.tool`, and in `part.state` the input, the status and what was done. It is written when the call has ended, so its start
 * is told late; without one nobody who follows the run would see the tool. Paths are told from `cwd` where they lie in it. Pure.
 */
export function eventsOfTool(part: JsonRecord, cwd: string): AgentEvent[] {
  const state = recordOf(part['state']);
  const failed = state['status'] === 'error' || exitOf(state) !== 0;
  const name = textOf(part['tool']) ?? 'tool';
  return [
    { type: 'tool', name, summary: summaryOf(state, cwd), phase: 'start' },
    { type: 'tool', name, summary: '', phase: 'end', ...(failed ? { failed: true } : {}) },
    ...(state['status'] === 'completed' ? changesOf(name, recordOf(state['metadata']), cwd) : []),
  ];
}

/** A command that ended badly is a call that ended well. */
function exitOf(state: JsonRecord): number {
  const exit = recordOf(state['metadata'])['exit'];
  return typeof exit === 'number' ? exit : 0;
}

function changesOf(tool: string, metadata: JsonRecord, cwd: string): AgentEvent[] {
  const file = textOf(metadata['filepath']);
  if (tool === 'write' && file !== undefined) return [{ type: 'file_change', path: shownPath(cwd, file), change: metadata['exists'] === true ? 'modify' : 'create' }];
  const edited = textOf(recordOf(metadata['filediff'])['file']);
  if (tool === 'edit' && edited !== undefined) return [{ type: 'file_change', path: shownPath(cwd, edited), change: 'modify' }];
  if (tool !== 'apply_patch') return [];
  return listOf(metadata['files']).flatMap((entry) => {
    const { filePath, type } = recordOf(entry);
    const patched = textOf(filePath);
    if (patched === undefined) return [];
    return [{ type: 'file_change' as const, path: shownPath(cwd, patched), change: type === 'add' ? ('create' as const) : type === 'delete' ? ('delete' as const) : ('modify' as const) }];
  });
}

/** The members of an input that tell the most of it, in this order. */
const TELLING = ['command', 'filePath', 'pattern', 'description'];

function summaryOf(state: JsonRecord, cwd: string): string {
  const input = recordOf(state['input']);
  const title = textOf(state['title']);
  return title === undefined || TELLING.some((name) => textOf(input[name]) !== undefined) ? shownCall(input, { cwd, telling: TELLING }) : shortened(title);
}
