import type { ProcessOutcome } from '../../../process/port.js';
import type { AgentEvent } from '../../../run/events.js';
import { failureKind } from '../../driver/failure-kind.js';
import { recordOf, textOf, type JsonRecord } from '../../driver/record.js';
import { shortened } from '../../driver/shown.js';
import type { CliFailure, CliResult, LogLine, TurnReader, TurnRecord } from '../../driver/turn-record.js';
import { failureOf, failureOfCause, failureOfLog, isHopeless } from './failure.js';
import { isTelling, logEntry, type LogEntry } from './log.js';
import { addTokens, noTokens, tokensOfStep, usageOf, type Tokens } from './tokens.js';
import { eventsOfTool } from './tool.js';

/*
 * What opencode writes with `--format json`, observed with 1.18.33, one JSON object a line, `sessionID` in each:
 *
 *   step_start    an answer of the model begins, the first one or again after a refusal
 *   text          a whole message; `synthetic` when it was not the model that said it
 *   tool_use      a call that has ended, well (`completed`) or not (`error`)
 *   step_finish   the end of an answer: `reason`, `tokens`, `cost`
 *   error         a refusal; the turn may go on after it (a conversation that is too long is shortened), and the exit status is 1 all the same
 *
 * There is no last record. The turn is over when an answer ended for another reason than to call tools and none follows.
 *
 * A refusal that may pass is repeated five times, after 2, 4, 8, 16 and 30 seconds or as long as `retry-after` says, days included, and no record tells
 * that it waits. Its log does: that is how a turn that waits for a limit is told from one that thinks.
 */

export interface OpencodeReaderOptions {
  /** Absolute path of the directory it works in. */
  readonly cwd: string;
  /** A session that is not kept is not named. */
  readonly keepsSession: boolean;
  /** The session that is continued. */
  readonly resumed?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What other sessions used: those of sub-agents are not in the records. */
  readonly tokensOf: (sessions: readonly string[]) => Promise<Tokens | undefined>;
}

/** It repeats a request so often; before the last time it waits for half a minute by itself. */
const REPETITIONS = 5;

/** How the turn ended as far as its log tells: somebody waits after a refusal. */
interface Wait {
  readonly failure: CliFailure;
  readonly refusals: number;
}

export class OpencodeReader implements TurnReader {
  turn: TurnRecord = {};
  readonly #options: OpencodeReaderOptions;
  #tokens: Tokens = noTokens;
  /** What this answer of the model said last. */
  #said: string | undefined;
  #sessionId: string | undefined;
  readonly #subAgents = new Set<string>();
  /** Sessions that wait after a refusal, or were refused before and are asking again. */
  readonly #refused = new Map<string, Wait & { readonly waits: boolean }>();
  /** Errors that records refer to. */
  readonly #causes = new Map<string, string>();
  #ref: string | undefined;
  /** The result that stands in `turn` because somebody waits, and that no record states. */
  #guess: CliResult | undefined;

  constructor(options: OpencodeReaderOptions) {
    this.#options = options;
    this.#sessionId = options.resumed;
  }

  read(record: JsonRecord): readonly AgentEvent[] {
    const sessionId = textOf(record['sessionID']);
    if (sessionId !== undefined) this.#begun(sessionId);
    const part = recordOf(record['part']);
    switch (record['type']) {
      case 'step_start':
        this.#said = undefined;
        this.#conclude(undefined);
        return [];
      case 'text':
        return this.#message(part);
      case 'tool_use':
        return eventsOfTool(part, this.#options.cwd);
      case 'step_finish':
        this.#tokens = addTokens(this.#tokens, tokensOfStep(part));
        this.turn = { ...this.turn, usage: usageOf(this.#tokens) };
        this.#conclude(this.#resultOf(textOf(part['reason']) ?? ''));
        return [];
      case 'error': {
        const error = recordOf(record['error']);
        this.#ref = textOf(recordOf(error['data'])['ref']);
        this.#conclude({ ok: false, ...failureOf(error, this.#options.now()) });
        return [];
      }
      default:
        return [];
    }
  }

  readLog(line: string): LogLine {
    const entry = logEntry(line);
    if (entry !== undefined) this.#note(entry);
    // It waits without a record after each refusal, for half a minute in the end.
    return { quoted: isTelling(line), ...(entry?.type === 'refused' ? { events: [{ type: 'other', name: 'error', detail: shortened(entry.text) }] } : {}) };
  }

  #note(entry: LogEntry): void {
    switch (entry.type) {
      case 'created':
        if (entry.parentId === undefined) this.#begun(entry.sessionId);
        else this.#subAgents.add(entry.sessionId);
        return;
      case 'asking':
        if (entry.sessionId === this.#sessionId) this.turn = { ...this.turn, model: entry.model };
        this.#asks(entry.sessionId);
        return;
      case 'refused':
        this.#waits(entry.sessionId, entry.text);
        return;
      case 'cause':
        this.#causes.set(entry.ref, entry.text);
        return;
      case 'fatal':
        this.#conclude({ ok: false, text: entry.text });
    }
  }

  async end(process: ProcessOutcome): Promise<void> {
    const { result } = this.turn;
    const cause = this.#ref === undefined ? undefined : this.#causes.get(this.#ref);
    if (result?.ok === false && cause !== undefined) this.#conclude({ ok: false, ...failureOfCause(cause) });
    else if (result !== undefined && result === this.#guess) this.#conclude(this.#guessAtEnd(process));
    if (this.#subAgents.size > 0) await this.#countSubAgents();
  }

  #begun(sessionId: string): void {
    this.#sessionId ??= sessionId;
    if (this.#options.keepsSession && this.turn.sessionId === undefined) this.turn = { ...this.turn, sessionId };
  }

  #message(part: JsonRecord): AgentEvent[] {
    const text = textOf(part['text']);
    if (text === undefined || part['synthetic'] === true) return [];
    this.#said = text;
    this.turn = { ...this.turn, message: text };
    return [{ type: 'message', text }];
  }

  /** After `tool-calls` it goes on, and after `unknown`, which stands for no reason or an unheard-of one, it asks its model again. */
  #resultOf(reason: string): CliResult | undefined {
    switch (reason) {
      case 'stop':
        return { ok: true, message: this.#said ?? '' };
      case 'length':
        return { ok: false, kind: 'other', text: 'Its answer was cut off at the limit of the length of an answer of its model.' };
      case 'content-filter':
        return { ok: false, kind: 'other', text: 'Its answer was withheld by a content filter of its provider.' };
      default:
        return undefined;
    }
  }

  #conclude(result: CliResult | undefined): void {
    const { result: _before, ...rest } = this.turn;
    this.#guess = undefined;
    this.turn = { ...rest, ...(result === undefined ? {} : { result }) };
  }

  /** The log and the records come by different ways and may overtake each other, so a refusal in the log never replaces what a record states. */
  #waits(sessionId: string, text: string): void {
    const failure = failureOfLog(text);
    const refusals = (this.#refused.get(sessionId)?.refusals ?? 0) + 1;
    this.#refused.set(sessionId, { failure, refusals, waits: true });
    if (this.turn.result !== undefined && this.turn.result !== this.#guess) return;
    const hopeless = isHopeless(text, this.#options.now());
    this.#suppose(hopeless ? { ...failure, kind: 'usage_limited' } : failure);
    if (hopeless) this.turn = { ...this.turn, stop: true };
  }

  #asks(sessionId: string): void {
    const before = this.#refused.get(sessionId);
    if (before === undefined) return;
    this.#refused.set(sessionId, { ...before, waits: false });
    if (this.turn.result === undefined || this.turn.result !== this.#guess) return;
    const other = [...this.#refused.values()].find(({ waits }) => waits);
    if (other === undefined) this.#conclude(undefined);
    else this.#suppose(other.failure);
  }

  #suppose(failure: CliFailure): void {
    this.#conclude({ ok: false, ...failure });
    this.#guess = this.turn.result;
  }

  /** What a wait comes to: nothing when it was cut short from outside, a limit when it was longer than the CLI waits by itself. */
  #guessAtEnd(process: ProcessOutcome): CliResult | undefined {
    const result = this.#guess;
    if (result === undefined || result.ok || (process.stopped !== undefined && process.stopped !== 'outcome_known')) return undefined;
    const waiting = [...this.#refused.values()].find(({ waits }) => waits);
    if (process.stopped === undefined || failureKind(result) !== 'other' || waiting === undefined || waiting.refusals >= REPETITIONS) return result;
    return { ...result, kind: 'usage_limited', text: `${result.text} (Its provider told it to wait for longer than it waits by itself.)` };
  }

  async #countSubAgents(): Promise<void> {
    const used = await this.#options.tokensOf([...this.#subAgents]);
    if (used !== undefined) {
      this.turn = { ...this.turn, usage: usageOf(addTokens(this.#tokens, used)) };
      return;
    }
    const text = 'What the sub-agents of opencode used could not be read, and is not in the usage.';
    this.turn = { ...this.turn, warnings: [...(this.turn.warnings ?? []), { code: 'usage_incomplete', text }] };
  }
}
