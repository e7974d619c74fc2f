import type { JsonValue } from '../ports/json.js';

/** The object that a message is, when it is exactly one JSON object; blanks around it do not count. */
export function asJsonObject(message: string): { readonly [key: string]: JsonValue } | undefined {
  const text = message.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    return JSON.parse(text) as { readonly [key: string]: JsonValue };
  } catch {
    return undefined;
  }
}

/**
 * The text inside a reply that is exactly one Markdown fence of three or more backticks or tildes; any other reply as it is.
 * A fence closes with as many of the same character, alone on a line: the first such line must be the last of the reply.
 */
export function unwrapFence(reply: string): string {
  const lines = reply.trim().split(/\r?\n/);
  const fence = /^(`{3,}|~{3,})([^`]*)$/.exec(lines[0] ?? '')?.[1];
  if (fence === undefined) return reply;
  const closes = (line: string): boolean => {
    const mark = line.trim();
    return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length);
  };
  const end = lines.findIndex((line, index) => index > 0 && closes(line));
  return end === lines.length - 1 ? lines.slice(1, -1).join('\n') : reply;
}
