import type { ProcessOutcome } from '../../../process/port.js';
import type { AgentEvent } from '../../../run/events.js';
import { countOf, listOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { shownCall, shownPath } from '../../driver/shown.js';
import type { FailureKind, TurnReader, TurnRecord } from '../../driver/turn-record.js';
import { isModel } from './models.js';
import { resultOf, resultWithoutEnd, type Answer } from './result.js';
import { spendMore, usageOf, type Spent } from './usage.js';

/** What the records of a turn are held against. */
export interface Asked {
  readonly cwd: string;
  readonly model?: string;
  /** The session to continue, when it is to keep its id. */
  readonly sessionId?: string;
  /** Nothing can be continued afterwards. */
  readonly sessionless: boolean;
}

/** Its tools that change a file. Neither says whether the file was there before. */
const WRITING_TOOLS = new Set(['edit', 'write']);

/** Records that repeat others, or are pieces of them. */
const NOISE = new Set(['message_start', 'message_update', 'tool_execution_update', 'turn_end', 'agent_end']);

/**
 * Reads `pi --mode json`. The last message of the model decides: pi exits with 0 whatever its provider answered.
 *
 * `agent_end` ends a run of the model, not the turn: a retry, a compaction or a queued message may follow and takes the result back. 1.6.0 says
 * `willRetry` in it and ends with `agent_settled`; with 0.73.1 only the end of the process is the end.
 */
export class PiReader implements TurnReader {
  turn: TurnRecord = {};
  readonly #asked: Asked;
  #sessionId: string | undefined;
  /** The model's last message of this turn. */
  #answer: Answer | undefined;
  #spent: Spent | undefined;
  /** The file that each running tool was given, by the id of its call. */
  readonly #files = new Map<string, string>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  read(record: JsonRecord): readonly AgentEvent[] {
    if (this.turn.stop === true) return [];
    switch (record['type']) {
      case 'session':
        this.#begun(record);
        return [];
      case 'message_start':
        this.#requireModel(recordOf(record['message']));
        return [];
      case 'message_end':
        return this.#said(recordOf(record['message']));
      case 'tool_execution_start':
        return [this.#toolBegun(record)];
      case 'tool_execution_end':
        return this.#toolEnded(record);
      case 'auto_retry_start':
        this.#settle(undefined);
        return [retry(record)];
      case 'agent_start':
      case 'compaction_start':
        this.#settle(undefined);
        return [];
      case 'compaction_end':
        // Only 1.6.0 says what the summary cost.
        this.#spend(recordOf(record['result'])['usage']);
        if (record['willRetry'] !== true) this.#settle(this.#answer);
        return [];
      case 'auto_retry_end':
        if (record['success'] !== true) this.#settle(this.#answer);
        return [];
      case 'agent_end':
        this.#settle(record['willRetry'] === true ? undefined : this.#answer);
        return [];
      case 'agent_settled':
        // `agent_end` holds every message of the turn, and a line can be too long to be read.
        this.#settle(this.#answer);
        return [];
      default:
        return [];
    }
  }

  isNoise(record: JsonRecord): boolean {
    return NOISE.has(textOf(record['type']) ?? '') || recordOf(record['message'])['role'] === 'system';
  }

  end({ stopped, exitCode, ...process }: ProcessOutcome): void {
    // It catches TERM and HUP, and exits with 128 and their number.
    const isKilled = exitCode === undefined || exitCode > 128;
    if (this.turn.result !== undefined || stopped !== undefined || isKilled) return;
    this.turn = { ...this.turn, result: resultWithoutEnd(this.#answer, { exitCode, ...process }) };
  }

  #begun(header: JsonRecord): void {
    const [id, cwd] = [textOf(header['id']), textOf(header['cwd'])];
    const { sessionId: wanted, sessionless } = this.#asked;
    if (!sessionless) this.#sessionId = id;
    // A session of another directory works there, and pi takes up a session whose id only begins with what it was given.
    if (cwd !== undefined && cwd !== this.#asked.cwd) this.#refuse('session_unknown', `the session belongs to ${cwd}`);
    else if (wanted !== undefined && id !== wanted) this.#refuse('session_unknown', `there is no session ${wanted}; it would have taken ${id ?? 'another one'}`);
    else if (wanted !== undefined) this.turn = { ...this.turn, sessionId: wanted };
  }

  #requireModel(message: JsonRecord): void {
    const [provider, model] = [textOf(message['provider']), textOf(message['model'])];
    if (message['role'] !== 'assistant' || provider === undefined || model === undefined) return;
    const { model: wanted } = this.#asked;
    if (wanted === undefined || isModel(wanted, { provider, model })) this.turn = { ...this.turn, model };
    else this.#refuse('model_unknown', `it took ${provider}/${model} for ${wanted}`);
  }

  #said(message: JsonRecord): readonly AgentEvent[] {
    if (message['role'] !== 'assistant') return [];
    const text = listOf(message['content']).map(recordOf).flatMap((part) => (part['type'] === 'text' ? [textOf(part['text']) ?? ''] : [])).join('');
    this.#answer = { text, stopReason: textOf(message['stopReason']), error: textOf(message['errorMessage']) };
    this.#spend(message['usage']);
    // Not before: 0.73.1 writes nothing of a session down until the model has answered, so it could not be continued.
    if (this.#sessionId !== undefined) this.turn = { ...this.turn, sessionId: this.#sessionId };
    if (text.trim() === '') return [];
    this.turn = { ...this.turn, message: text };
    return [{ type: 'message', text }];
  }

  #toolBegun(record: JsonRecord): AgentEvent {
    const args = recordOf(record['args']);
    this.#files.set(textOf(record['toolCallId']) ?? '', textOf(args['path']) ?? '');
    return { type: 'tool', name: textOf(record['toolName']) ?? 'tool', summary: shownCall(args, { cwd: this.#asked.cwd, telling: TELLING }), phase: 'start' };
  }

  #toolEnded(record: JsonRecord): readonly AgentEvent[] {
    const [id, name] = [textOf(record['toolCallId']) ?? '', textOf(record['toolName']) ?? 'tool'];
    const file = this.#files.get(id) ?? '';
    this.#files.delete(id);
    if (record['isError'] === true) return [{ type: 'tool', name, summary: '', phase: 'end', failed: true }];
    const ended: AgentEvent = { type: 'tool', name, summary: '', phase: 'end' };
    return WRITING_TOOLS.has(name) && file !== '' ? [ended, { type: 'file_change', path: shownPath(this.#asked.cwd, file), change: 'modify' }] : [ended];
  }

  #spend(usage: JsonRecord[string]): void {
    this.#spent = spendMore(this.#spent, recordOf(usage));
    if (this.#spent !== undefined) this.turn = { ...this.turn, usage: usageOf(this.#spent) };
  }

  #settle(answer: Answer | undefined): void {
    const { result: _takenBack, ...rest } = this.turn;
    const result = answer === undefined ? undefined : resultOf(answer);
    this.turn = result === undefined ? rest : { ...rest, result };
  }

  #refuse(kind: FailureKind, text: string): void {
    this.turn = { ...this.turn, stop: true, result: { ok: false, kind, text } };
  }
}

function retry(record: JsonRecord): AgentEvent {
  return { type: 'other', name: 'retry', detail: { attempt: countOf(record['attempt']) ?? null, of: countOf(record['maxAttempts']) ?? null, error: textOf(record['errorMessage']) ?? null } };
}

/** The members of an input that tell the most of it, in this order. */
const TELLING = ['command', 'path', 'pattern'];
