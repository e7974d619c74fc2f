import { isRecord, listOf, textOf } from '../json.js';

/** The text of a content: a text, or a list of parts of which some hold one. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (isRecord(content)) return partText(content);
  return listOf(content).map(partText).join('\n');
}

function partText(part: unknown): string {
  if (!isRecord(part)) return textOf(part) ?? '';
  return textOf(part['text']) ?? (part['content'] === undefined ? '' : contentText(part['content']));
}
