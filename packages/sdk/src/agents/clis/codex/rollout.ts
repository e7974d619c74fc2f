import { open } from 'node:fs/promises';
import { countOf, parseRecord, recordOf, textOf, type JsonRecord } from '../../driver/record.js';

/*
 * A session file of Codex, a "rollout": one JSON object a line, appended while the thread works. Observed with 0.171.0:
 *
 *   session_meta         the first line: `id` of the thread, `session_id` of the thread that a person began, which its sub-agents share
 *   turn_context         the model of the turn that begins
 *   token_usage_record   after each answer: `usage` of it, `thread_token_usage` of the thread, `root_turn_id` of the turn that a person began
 *   event_msg            of type `token_count`: `info.total_token_usage` of the thread, also in versions without token_usage_record
 *
 * A forked thread begins with a copy of its parent's lines, so only lines that name the thread itself count.
 */

export interface Tokens {
  /** Cached ones included. */
  readonly input: number;
  /** Reasoning included. */
  readonly output: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0 };

/** More than a first line, which holds the instructions of the model. */
const PIECE_BYTES = 262_144;
const NEWLINE = 0x0a;
const ASKED_FOR = ['"token_usage_record"', '"token_count"', '"turn_context"'];

/** Reads a session file as it grows, and keeps of it only what it says of tokens. */
export class Rollout {
  /** Of the thread that the first line names. */
  threadId: string | undefined;
  sessionId: string | undefined;
  /** What the thread had used before `from`. */
  before: Tokens = NO_TOKENS;
  /** What it has used so far, all turns together. */
  total: Tokens = NO_TOKENS;
  /** The model of the last turn behind `from`. */
  model: string | undefined;
  /** What was used on behalf of each turn that a person began. */
  readonly byRootTurn = new Map<string, Tokens>();
  /** The turns that were begun behind `from`. */
  readonly rootTurns = new Set<string>();

  readonly #file: string;
  readonly #from: number;
  #at = 0;
  #lineAt = 0;
  #line: Buffer[] = [];

  /** `from`: where the turn that is looked at begins, in bytes. */
  constructor(file: string, from = 0) {
    this.#file = file;
    this.#from = from;
  }

  /** Takes in what was appended since the last time, or at most so many pieces of it. Answers whether the file could be read. */
  async readOn(pieces = Infinity): Promise<boolean> {
    const handle = await open(this.#file, 'r').catch(() => undefined);
    if (handle === undefined) return false;
    try {
      for (let piece = 0; piece < pieces; piece += 1) {
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, this.#at);
        if (bytesRead === 0) return true;
        this.#at += bytesRead;
        this.#take(buffer.subarray(0, bytesRead));
      }
      return true;
    } catch {
      return false;
    } finally {
      await handle.close();
    }
  }

  #take(piece: Buffer): void {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...this.#line, piece.subarray(start, end)]);
      this.#line = [];
      this.#read(line, this.#lineAt >= this.#from);
      this.#lineAt += line.length + 1;
      start = end + 1;
    }
    // The rest of a line is kept until its end is there: as a copy, so that the piece can go.
    if (start < piece.length) this.#line.push(Buffer.from(piece.subarray(start)));
  }

  #read(line: Buffer, isOfTurn: boolean): void {
    const isFirst = this.#lineAt === 0;
    if (!isFirst && !ASKED_FOR.some((word) => line.includes(word))) return;
    const record = parseRecord(line.toString('utf8')) ?? {};
    const payload = recordOf(record['payload']);
    if (isFirst && record['type'] === 'session_meta') {
      this.threadId = textOf(payload['id']);
      this.sessionId = textOf(payload['session_id']) ?? textOf(payload['parent_thread_id']) ?? this.threadId;
    }
    if (record['type'] === 'turn_context' && isOfTurn) this.model = textOf(payload['model']) ?? this.model;
    if (record['type'] === 'token_usage_record' && payload['thread_id'] === this.threadId) this.#used(payload, isOfTurn);
    if (record['type'] === 'event_msg' && payload['type'] === 'token_count') this.#counted(payload, isOfTurn);
  }

  #used(payload: JsonRecord, isOfTurn: boolean): void {
    const rootTurn = textOf(payload['root_turn_id']) ?? '';
    this.byRootTurn.set(rootTurn, plus(this.byRootTurn.get(rootTurn) ?? NO_TOKENS, tokensOf(payload['usage']) ?? NO_TOKENS));
    if (isOfTurn) this.rootTurns.add(rootTurn);
    this.#totals(tokensOf(payload['thread_token_usage']), isOfTurn);
  }

  #counted(payload: JsonRecord, isOfTurn: boolean): void {
    this.#totals(tokensOf(recordOf(payload['info'])['total_token_usage']), isOfTurn);
  }

  #totals(total: Tokens | undefined, isOfTurn: boolean): void {
    if (total === undefined) return;
    this.total = total;
    if (!isOfTurn) this.before = total;
  }
}

export function tokensOf(usage: JsonRecord[string]): Tokens | undefined {
  const { input_tokens: input, output_tokens: output } = recordOf(usage);
  const [inTokens, outTokens] = [countOf(input), countOf(output)];
  return inTokens === undefined || outTokens === undefined ? undefined : { input: inTokens, output: outTokens };
}

export function plus(a: Tokens, b: Tokens): Tokens {
  return { input: a.input + b.input, output: a.output + b.output };
}

/** What remains of a sum when an earlier one is taken off. A sum that is smaller than the earlier one was begun anew. */
export function minus(sum: Tokens, earlier: Tokens): Tokens {
  if (sum.input < earlier.input || sum.output < earlier.output) return sum;
  return { input: sum.input - earlier.input, output: sum.output - earlier.output };
}
