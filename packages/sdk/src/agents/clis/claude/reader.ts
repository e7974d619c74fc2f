import type { ProcessOutcome } from '../../../process/port.js';
import type { AgentEvent } from '../../../run/events.js';
import { countOf, listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import type { TurnReader, TurnRecord } from '../../driver/turn-record.js';
import { BackgroundWork } from './background.js';
import { LastMessage } from './last-message.js';
import { deniedTools, resultOf } from './result.js';
import { ToolCalls } from './tools.js';
import { TurnUsage } from './usage.js';

/*
 * `system/init` names the session, again whenever the model is woken; `assistant` holds one part of a message each, `user` the results of tools; `result`
 * ends the turn. A record with a `parent_tool_use_id` is a subagent's. `stream_event` holds the pieces of a message before it is whole.
 *
 * When something in the background ends, the model is woken and the turn goes on. For subagents the results are held back until then, and come one after the
 * other; for shell commands the first result is out long before: it is taken back when the model says something after it.
 */
export class ClaudeReader implements TurnReader {
  turn: TurnRecord = {};
  readonly #tools: ToolCalls;
  readonly #usage = new TurnUsage();
  readonly #message = new LastMessage();
  readonly #background = new BackgroundWork();
  /** What the latest message calls itself that is an error, and not the model's. */
  #error: string | undefined;
  #resetsAt: number | undefined;
  /** What was at work in the background when the turn had its result. Told to stop, it says that all of it has ended. */
  #left: readonly string[] = [];
  readonly #keepsSession: boolean;

  constructor({ cwd, keepsSession }: { readonly cwd: string; readonly keepsSession: boolean }) {
    this.#tools = new ToolCalls(cwd);
    this.#keepsSession = keepsSession;
  }

  isNoise(record: JsonRecord): boolean {
    return record['type'] === 'stream_event' || (record['type'] === 'system' && NOISE.has(textOf(record['subtype']) ?? ''));
  }

  read(record: JsonRecord): readonly AgentEvent[] {
    switch (record['type']) {
      case 'system':
        this.#session(record);
        this.#background.read(record);
        return notice(record);
      case 'assistant':
        return this.#assistant(record);
      case 'user':
        return parts(record).flatMap((part) => (part['type'] === 'tool_result' ? this.#tools.ended(part, record) : []));
      case 'stream_event':
        this.#piece(recordOf(record['event']));
        return [];
      case 'rate_limit_event':
        return this.#limit(recordOf(record['rate_limit_info']));
      case 'result':
        this.#result(record);
        return [];
      default:
        return [];
    }
  }

  end(process: ProcessOutcome): void {
    if (process.stopped !== 'outcome_known' || this.#left.length === 0) return;
    const text = `claude had left work in the background, which was stopped: ${this.#left.join(', ')}.`;
    this.turn = { ...this.turn, warnings: [...(this.turn.warnings ?? []), { code: 'background_stopped', text }] };
  }

  /** Only from here: the result of a session that was not found has an id that nobody can continue. */
  #session(record: JsonRecord): void {
    const sessionId = textOf(record['session_id']);
    if (this.#keepsSession && record['subtype'] === 'init' && sessionId !== undefined) this.turn = { ...this.turn, sessionId };
  }

  #assistant(record: JsonRecord): AgentEvent[] {
    const message = recordOf(record['message']);
    const error = textOf(record['error']);
    this.#usage.message(message);
    if (error !== undefined) {
      this.#error = error;
      return [{ type: 'other', name: 'error', detail: parts(record).map((part) => textOf(part['text']) ?? '').join('\n') }];
    }
    const isMain = record['parent_tool_use_id'] === undefined || record['parent_tool_use_id'] === null;
    if (isMain) this.#goesOn(textOf(message['model']));
    this.#update();
    return parts(record).flatMap((part): AgentEvent[] => {
      if (part['type'] === 'tool_use') return [this.#tools.begun(part)];
      const text = textOf(part['text']);
      if (part['type'] !== 'text' || text === undefined || text === '') return [];
      if (!isMain) return [{ type: 'other', name: 'subagent', detail: text }];
      this.turn = { ...this.turn, message: this.#message.add(textOf(message['id']), text) };
      return [{ type: 'message', text }];
    });
  }

  /** The model speaks: what was an error was repeated with success, and what was a result was none. */
  #goesOn(model: string | undefined): void {
    this.#error = undefined;
    const { result: _result, ...turn } = this.turn;
    this.turn = { ...turn, ...(model === undefined || model === '<synthetic>' ? {} : { model }) };
  }

  #piece(event: JsonRecord): void {
    this.#usage.piece(event);
    if (recordOf(event['delta'])['stop_reason'] === 'max_tokens') this.#message.cut();
    this.#update();
  }

  #limit(info: JsonRecord): AgentEvent[] {
    const seconds = countOf(info['resetsAt']);
    if (info['status'] === 'rejected' && seconds !== undefined) this.#resetsAt = seconds * 1_000;
    if (info['status'] === 'allowed') return [];
    return [{ type: 'other', name: 'rate_limit', detail: { status: textOf(info['status']) ?? null, limit: textOf(info['rateLimitType']) ?? null, resetsAt: seconds ?? null } }];
  }

  #result(record: JsonRecord): void {
    this.#usage.result(record);
    this.#left = this.#background.open;
    this.#update();
    const result = resultOf(record, { error: this.#error, resetsAt: this.#resetsAt, wasAsked: this.turn.model !== undefined, whole: (text) => this.#message.whole(text) });
    const denied = deniedTools(record, (input) => this.#tools.summaryOf(input));
    const warnings = [...(this.turn.warnings ?? []), ...denied];
    this.turn = { ...this.turn, result, ...(warnings.length === 0 ? {} : { warnings }) };
  }

  #update(): void {
    const usage = this.#usage.total;
    if (usage !== undefined) this.turn = { ...this.turn, usage };
  }
}

function parts(record: JsonRecord): readonly JsonRecord[] {
  return listOf(recordOf(record['message'])['content']).map(recordOf);
}

/** Records that tell nothing of how a turn went: what there is, and how much was thought. */
const NOISE: ReadonlySet<string> = new Set(['init', 'thinking_tokens', 'background_tasks_changed', 'task_progress', 'ui_invalidate', 'hook_started', 'hook_progress', 'hook_response', 'status']);

/** What people should see while they wait. */
function notice(record: JsonRecord): AgentEvent[] {
  if (record['subtype'] === 'informational') return [{ type: 'other', name: 'notice', detail: textOf(record['content']) ?? '' }];
  if (record['subtype'] !== 'api_retry') return [];
  const detail = { attempt: countOf(record['attempt']) ?? null, of: countOf(record['max_retries']) ?? null, status: countOf(record['error_status']) ?? null, error: textOf(record['error']) ?? null };
  return [{ type: 'other', name: 'retry', detail }];
}
