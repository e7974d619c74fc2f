import type { ProcessOutcome } from '../../../process/port.js';
import type { AgentEvent } from '../../../run/events.js';
import { countOf, recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { shortened, shownCall, shownPath } from '../../driver/shown.js';
import type { CliFailure, CliResult, LogLine, TurnReader, TurnRecord } from '../../driver/turn-record.js';
import type { AgentUsage } from '../../port.js';
import { failureOf, failureWithoutResult, isNoise, messageOf, WaitListener, withStatusOf } from './failure.js';

/*
 * What the Gemini CLI writes with `-o stream-json` (observed with 0.61.0), one JSON object a line:
 *
 *   init         `session_id`; `model` as it was asked for
 *   message      `role: "user"`: the prompt; `role: "assistant"`: the next piece of what the model says
 *   tool_use     a call;  tool_result  its end
 *   error        `severity: "warning"`, such as a loop, or `"error"`
 *   result       the end: `status`, `error`, `stats`
 *
 * The last message is what was said after the last result of a tool. A result may say success though the CLI gave up: at its own limit of turns, or because
 * it took calls or lines that are alike for a loop, and then broke off in the middle of a word. A warning or an error before the result tells so.
 */

export interface GeminiReaderOptions {
  /** Absolute path of the directory it works in. */
  readonly cwd: string;
  /** The model that was asked for. */
  readonly model?: string | undefined;
  /** A turn whose session is not kept names none. */
  readonly keepsSession: boolean;
  /** What is known to be worth a warning before the turn. */
  readonly warnings?: TurnRecord['warnings'];
}

export class GeminiReader implements TurnReader {
  turn: TurnRecord;
  readonly #options: GeminiReaderOptions;
  /** The tools whose results have not come yet, by the id of the call, and the file that each writes. */
  readonly #tools = new Map<string, { readonly name: string; readonly file: string | undefined }>();
  /** What was said since the last result of a tool. */
  #last = '';
  /** The part of it that was not shown yet. Pieces are shown as one message. */
  #unshown = '';
  readonly #waits = new WaitListener();
  /** The latest complaint in the middle of the turn. */
  #complaint: { readonly text: string; readonly isError: boolean } | undefined;

  constructor(options: GeminiReaderOptions) {
    this.#options = options;
    this.turn = { warnings: options.warnings ?? [] };
  }

  read(record: JsonRecord): readonly AgentEvent[] {
    switch (record['type']) {
      case 'init':
        this.#begin(record);
        return [];
      case 'message':
        if (record['role'] === 'assistant') this.#say(textOf(record['content']) ?? '');
        return [];
      case 'tool_use':
        return [...this.#shown(), this.#toolBegan(record)];
      case 'tool_result':
        this.#last = '';
        return [...this.#shown(), ...this.#toolEnded(record)];
      case 'error':
        return [...this.#shown(), this.#complain(record)];
      case 'result':
        this.#end(record);
        return this.#shown();
      default:
        return [];
    }
  }

  readLog(line: string): LogLine {
    const limit = this.#waits.take(line);
    if (limit !== undefined && this.turn.result === undefined) this.turn = { ...this.turn, result: { ok: false, ...limit }, stop: true };
    return { quoted: !isNoise(line), ...(/^Attempt \d+ failed/.test(line) ? { events: [{ type: 'other', name: 'retry', detail: shortened(line) }] } : {}) };
  }

  isNoise({ type }: JsonRecord): boolean {
    return type === 'init' || type === 'message';
  }

  end(process: ProcessOutcome): void {
    const { result, sessionId } = this.turn;
    if (result?.ok === false) {
      this.turn = { ...this.turn, result: { ok: false, ...withStatusOf(result, process.exitCode) } };
      return;
    }
    if (result !== undefined || process.stopped !== undefined) return;
    const failure = failureWithoutResult(process) ?? (process.exitCode === 0 && sessionId !== undefined ? STOPPED : undefined);
    if (failure !== undefined) this.turn = { ...this.turn, result: { ok: false, ...failure } };
  }

  #begin(record: JsonRecord): void {
    const sessionId = textOf(record['session_id']);
    if (this.#options.keepsSession && sessionId !== undefined) this.turn = { ...this.turn, sessionId };
  }

  #say(piece: string): void {
    this.#last += piece;
    this.#unshown += piece;
    if (this.#last.trim() !== '') this.turn = { ...this.turn, message: this.#last };
  }

  #shown(): AgentEvent[] {
    const text = this.#unshown;
    this.#unshown = '';
    return text.trim() === '' ? [] : [{ type: 'message', text }];
  }

  #toolBegan(record: JsonRecord): AgentEvent {
    const name = textOf(record['tool_name']) ?? 'tool';
    const parameters = recordOf(record['parameters']);
    this.#tools.set(textOf(record['tool_id']) ?? '', { name, file: WRITERS.has(name) ? textOf(parameters['file_path']) : undefined });
    return { type: 'tool', name, summary: shownCall(parameters, { cwd: this.#options.cwd, telling: TELLING }), phase: 'start' };
  }

  #toolEnded(record: JsonRecord): AgentEvent[] {
    const id = textOf(record['tool_id']) ?? '';
    const { name, file } = this.#tools.get(id) ?? { name: 'tool', file: undefined };
    this.#tools.delete(id);
    const failed = record['status'] === 'error';
    const ended: AgentEvent = { type: 'tool', name, summary: '', phase: 'end', ...(failed ? { failed } : {}) };
    return failed || file === undefined ? [ended] : [ended, { type: 'file_change', path: shownPath(this.#options.cwd, file), change: 'modify' }];
  }

  #complain(record: JsonRecord): AgentEvent {
    const text = messageOf(record['message']);
    const isLoop = /^loop detected\b/i.test(text);
    const isError = isLoop || record['severity'] !== 'warning';
    this.#complaint = { text: isLoop ? `${text}. What it said last is cut off there. Its setting model.disableLoopDetection turns this off.` : text, isError };
    if (!isError) this.#warn('cli_warning', `gemini says: ${text}`);
    return { type: 'other', name: isError ? 'error' : 'warning', detail: text };
  }

  #end(record: JsonRecord): void {
    const stats = recordOf(record['stats']);
    const model = this.#modelIn(recordOf(stats['models']));
    const usage = usageOf(stats);
    this.turn = { ...this.turn, result: this.#resultOf(record), ...(usage === undefined ? {} : { usage }), ...(model === undefined ? {} : { model }) };
  }

  #resultOf(record: JsonRecord): CliResult {
    const said = messageOf(record['error']);
    if (record['status'] !== 'success') return { ok: false, ...failureOf(said === '' ? (this.#complaint?.text ?? '') : said) };
    if (this.#complaint?.isError === true) return { ok: false, text: this.#complaint.text };
    if (this.#last.trim() === '' && this.#complaint !== undefined) return { ok: false, text: this.#complaint.text };
    return { ok: true, message: this.#last };
  }

  /** The model that did most. Short questions beside the work (which model fits, is this a loop) are put to a small one. */
  #modelIn(models: JsonRecord): string | undefined {
    const used = Object.entries(models).map(([name, tokens]) => ({ name, tokens: countOf(recordOf(tokens)['total_tokens']) ?? 0 })).filter(({ tokens }) => tokens > 0);
    const most = used.reduce<(typeof used)[number] | undefined>((best, each) => (best !== undefined && best.tokens > each.tokens ? best : each), undefined)?.name;
    const { model: asked } = this.#options;
    if (asked === undefined || most === undefined || asked.startsWith('auto')) return most;
    const same = used.find(({ name }) => name === asked) ?? (ALIASES.has(asked) ? used.find(({ name }) => name.split('-').includes(asked.split('-')[0] ?? '')) : undefined);
    if (same === undefined) this.#warn('model_replaced', `gemini was asked for the model ${asked} and used ${most}.`);
    return same?.name ?? most;
  }

  #warn(code: string, text: string): void {
    this.turn = { ...this.turn, warnings: [...(this.turn.warnings ?? []), { code, text }] };
  }
}

/** Names that stand for the newest model of a kind. */
const ALIASES: ReadonlySet<string> = new Set(['pro', 'flash', 'flash-lite']);

/** On TERM it exits with status 0, and without a result. */
const STOPPED: CliFailure = { kind: 'ended', text: 'It exited with status 0 and without a result, as it does when it is told to end.' };

/** Of this turn alone, also when it continues a session. What is thought is part of the total only. */
function usageOf(stats: JsonRecord): AgentUsage | undefined {
  const input = countOf(stats['input_tokens']);
  const output = countOf(stats['output_tokens']);
  if (input === undefined || output === undefined) return undefined;
  const total = countOf(stats['total_tokens']) ?? 0;
  return { inputTokens: input, outputTokens: Math.max(output, total - input), cachedInputTokens: countOf(stats['cached']) ?? 0 };
}

/** Its tools that change a file. Nothing says whether the file was there before. */
const WRITERS: ReadonlySet<string> = new Set(['replace', 'write_file']);

/** The members of an input that tell the most of it, in this order. */
const TELLING = ['command', 'file_path', 'dir_path', 'pattern', 'query', 'prompt'];
