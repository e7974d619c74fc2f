import type { AgentEvent } from '../../../run/events.js';
import { listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { shownCall, shownPath } from '../../driver/shown.js';

/** The members of an input that tell the most of it, in this order. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'skill', 'description'];

/** Follows tools from their call to their result. */
export class ToolCalls {
  readonly #cwd: string;
  readonly #open = new Map<string, { readonly name: string; readonly file: string | undefined }>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  begun(part: JsonRecord): AgentEvent {
    const name = textOf(part['name']) ?? 'tool';
    const input = recordOf(part['input']);
    this.#open.set(textOf(part['id']) ?? '', { name, file: WRITERS.has(name) ? (textOf(input['file_path']) ?? textOf(input['notebook_path'])) : undefined });
    return { type: 'tool', name, summary: this.summaryOf(input), phase: 'start' };
  }

  /** `record` is the record that the result stands in; it tells more of it than the result, but not for subagents. */
  ended(part: JsonRecord, record: JsonRecord): AgentEvent[] {
    const id = textOf(part['tool_use_id']) ?? '';
    const call = this.#open.get(id);
    this.#open.delete(id);
    const failed = part['is_error'] === true;
    const end: AgentEvent = { type: 'tool', name: call?.name ?? 'tool', summary: '', phase: 'end', ...(failed ? { failed } : {}) };
    if (failed || call?.file === undefined) return [end];
    return [end, { type: 'file_change', path: shownPath(this.#cwd, call.file), change: isCreation(part, record) ? 'create' : 'modify' }];
  }

  /** What a tool was asked for, in a line. */
  summaryOf(input: JsonRecord): string {
    return shownCall(input, { cwd: this.#cwd, telling: TELLING });
  }
}

const WRITERS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'NotebookEdit', 'Write']);

function isCreation(part: JsonRecord, record: JsonRecord): boolean {
  const kind = recordOf(record['tool_use_result'])['type'];
  if (kind !== undefined) return kind === 'create';
  const said = textOf(part['content']) ?? textOf(recordOf(listOf(part['content'])[0])['text']) ?? '';
  return said.startsWith('File created');
}
