import type { Conversation, Message } from '../apis/api.js';

/**
 * Texts that CLIs themselves put into messages of the user, each a part of its own: claude's reminders, codex's environment and instructions, gemini's
 * session context. They are not the prompt.
 */
const CONTEXT = /^\s*(?:<(?:system-reminder|environment_context|user_instructions|session_context|permissions|INSTRUCTIONS|turn_aborted|recommended_plugins|skills_instructions)\b|# AGENTS\.md instructions)/;

/** Where a conversation stands. */
export interface Question {
  readonly conversation: Conversation;
  readonly model: string;
  /** The last prompt, as the CLI sent it. */
  readonly user: string;
  /** The results of tools that came after the last answer. */
  readonly results: readonly string[];
  /** Results came and no new prompt: the answer is the next step of the same turn. */
  readonly continuing: boolean;
  /** The turn that asked for the tools whose results came; -1 when the CLI did not keep our call ids. */
  readonly previous: number;
  /** How many steps this prompt has seen. */
  readonly step: number;
  /** It offers no tools: asked beside the conversation, for a title or a choice of model. */
  readonly side: boolean;
}

/** The place in the scenario travels in the id of a tool call, so that the server keeps no state per conversation. */
export function callId(turn: number, unique: string): string {
  return `t${turn}_${unique}`;
}

function turnOf({ id = '' }: Message): number {
  return Number(/_t(\d+)_/.exec(id)?.[1] ?? -1);
}

export function questionOf(conversation: Conversation, model: string): Question {
  const { messages } = conversation;
  const after = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const results = after.filter(({ role }) => role === 'tool');
  const end = messages.findLastIndex(isPrompt);
  return {
    conversation,
    model,
    user: promptBefore(messages, end),
    results: results.map(({ text }) => text),
    continuing: results.length > 0 && !after.some(isPrompt),
    previous: Math.max(-1, ...results.map(turnOf)),
    step: messages.slice(end + 1).filter(({ role }, index, rest) => role === 'tool' && rest[index - 1]?.role !== 'tool').length,
    side: conversation.tools.length === 0,
  };
}

function isPrompt({ role, text }: Message): boolean {
  return role === 'user' && text.trim() !== '' && !CONTEXT.test(text);
}

/** The unbroken run of prompt texts that ends at `end`. */
function promptBefore(messages: readonly Message[], end: number): string {
  let from = end;
  while (from > 0 && messages[from - 1]?.role === 'user') from -= 1;
  return messages.slice(Math.max(from, 0), end + 1).filter(isPrompt).map(({ text }) => text).join('\n');
}
