import type { JsonValue } from '../../ports/json.js';
import type { AgentUsage } from '../port.js';

/*
 * The wrapper protocol, version 1, without any process: what is written, what is read, what is refused.
 *
 *   child   relayflows-agent-cli-v1
 *   host    {"protocol":"relayflows-agent-cli-v1","instruction":"…"}      and closes the child's input
 *   child   relayflows-agent-cli-v1-execute
 *   child   the answer: text, or one envelope
 */

export const ADAPTER_ARGUMENT = '--relayflows-adapter-v1';
export const IDENTITY_LINE = 'relayflows-agent-cli-v1';
export const EXECUTE_LINE = 'relayflows-agent-cli-v1-execute';
export const RESULT_PROTOCOL = 'relayflows-agent-cli-v1-result';

/** How long a line of the protocol may be, in bytes. */
const LONGEST_LINE = 8_192;

/** The one line that the host writes. */
export function requestLine(request: { readonly instruction: string; readonly model?: string | undefined; readonly wakeContext?: JsonValue | undefined }): string {
  const { instruction, model, wakeContext } = request;
  const line = JSON.stringify({ protocol: IDENTITY_LINE, instruction, ...(model === undefined ? {} : { model }), ...(wakeContext === undefined ? {} : { wakeContext }) });
  // Some line readers, Node's from version 24 among them, end a line at U+2028 and U+2029 too, which JSON does not escape by itself.
  return `${line.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`)}\n`;
}

export type ConversationStep = 'identified' | 'executing' | { readonly refused: string };

/** Reads a child's standard output, however it is cut into pieces. */
export class WrapperConversation {
  #phase: 'identity' | 'execute' | 'answer' = 'identity';
  #line = '';
  #answer: string[] = [];

  get phase(): 'identity' | 'execute' | 'answer' {
    return this.#phase;
  }

  /** What was said after the execute line so far, without carriage returns. */
  get answer(): string {
    return this.#answer.join('') + (this.#phase === 'answer' ? this.#line : '');
  }

  /** Takes a piece and yields what it completes, in order. Nothing may be pushed after a refusal. */
  *push(piece: string): Generator<ConversationStep> {
    this.#line += piece.replaceAll('\r', '');
    for (;;) {
      const end = this.#line.indexOf('\n');
      if (end === -1) break;
      const line = this.#line.slice(0, end);
      this.#line = this.#line.slice(end + 1);
      const step = this.#take(line);
      if (step !== undefined) yield step;
      if (typeof step === 'object') return;
    }
    if (this.#phase !== 'answer' && Buffer.byteLength(this.#line) > LONGEST_LINE) {
      yield { refused: `printed more than ${LONGEST_LINE} bytes without a newline instead of ${this.#expected}` };
    }
  }

  /** Standard output has ended. */
  end(): { readonly refused: string } | undefined {
    if (this.#phase === 'answer') return this.#line === EXECUTE_LINE ? REPEATED : undefined;
    if (this.#line !== '') return { refused: `printed ${quote(this.#line)} without a newline instead of ${this.#expected}` };
    return { refused: `ended without printing ${this.#expected}` };
  }

  get #expected(): string {
    return this.#phase === 'identity' ? IDENTITY_LINE : EXECUTE_LINE;
  }

  #take(line: string): ConversationStep | undefined {
    if (this.#phase === 'answer') {
      if (line === EXECUTE_LINE) return REPEATED;
      this.#answer.push(`${line}\n`);
      return undefined;
    }
    if (line !== this.#expected) return { refused: `printed ${quote(line)} instead of ${this.#expected}` };
    if (this.#phase === 'identity') {
      this.#phase = 'execute';
      return 'identified';
    }
    this.#phase = 'answer';
    return 'executing';
  }
}

const REPEATED = { refused: `printed ${EXECUTE_LINE} a second time` };

function quote(line: string): string {
  return JSON.stringify(line.length > 200 ? `${line.slice(0, 200)}…` : line);
}

export type WrapperAnswer = { readonly message: string; readonly usage?: AgentUsage } | { readonly malformed: string };

/** Reads a complete answer: an envelope when it is exactly one, else the text without the newlines that end it. */
export function readAnswer(answer: string): WrapperAnswer {
  const envelope = asEnvelope(answer);
  if (envelope === undefined) return { message: answer.replace(/\n+$/, '') };
  const { output } = envelope;
  if (output === undefined) return { malformed: 'its result envelope has no "output"' };
  const message = typeof output === 'string' ? output : JSON.stringify(output);
  if (envelope.usage === undefined) return { message };
  const usage = asUsage(envelope.usage);
  return usage === undefined
    ? { malformed: `its result envelope has a malformed "usage": ${JSON.stringify(envelope.usage).slice(0, 200)}` }
    : { message, usage };
}

function asEnvelope(answer: string): { readonly output?: JsonValue; readonly usage?: JsonValue } | undefined {
  const text = answer.trim();
  if (!text.startsWith('{') || !text.includes(RESULT_PROTOCOL)) return undefined;
  try {
    const value = JSON.parse(text) as { readonly protocol?: unknown };
    return value.protocol === RESULT_PROTOCOL ? (value as { readonly output?: JsonValue; readonly usage?: JsonValue }) : undefined;
  } catch {
    return undefined;
  }
}

function asUsage(value: JsonValue): AgentUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { input_tokens: input, output_tokens: output } = value as { readonly input_tokens?: unknown; readonly output_tokens?: unknown };
  return isCount(input) && isCount(output) ? { inputTokens: input, outputTokens: output } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
