import { scanMarkdown } from './markdown-lines.js';

/** The most characters that GitHub takes for a description or a comment. */
export const BODY_MAX = 65_536;

/** Lines by which a forge, or a reader, finds the ticket: `Fixes #4`, `Closes group/project#4`, `Resolves https://…/issues/4`, `Ticket: …`. */
const REFERENCE = /^\s{0,3}(?:[-*+]\s+)?(?:(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?):?\s+(?:(?:[\w./-]+)?#\d+|https?:\/\/\S+\/\d+)|Ticket: \S)/i;
const MOST_REFERENCES = 20;
const REFERENCE_LENGTH = 300;

/**
 * A text that a forge takes: at most `limit` UTF-16 code units (never fewer than the characters that forges count), no NUL, no half characters.
 *
 * One that is longer is cut between lines where that is near, and else between characters. What the cut leaves open (a code block, a comment) is closed,
 * and a sentence says how much there was. Merging acts on references to tickets, so those that were cut off stand first, where nothing can swallow them.
 */
export function fitBody(text: string, limit: number = BODY_MAX): string {
  const whole = text.replaceAll('\0', '').toWellFormed();
  if (whole.length <= limit) return whole;
  const references = referencesOf(whole);
  for (let room = limit; ; room -= 64) {
    const head = beginning(whole, Math.max(0, room));
    const kept = new Set(referencesOf(head));
    const missing = references.filter((line) => !kept.has(line));
    const notice = `\n\n*The text is cut here: of ${whole.length} characters, ${head.length} are shown.*\n`;
    const cut = `${missing.map((line) => `${line}\n\n`).join('')}${head}${scanMarkdown(head).closing}${notice}`;
    if (cut.length <= limit) return cut;
    if (room <= 0) return beginning(cut, limit);
    // What is around the head is about as long each time.
    room = Math.min(room, limit - (cut.length - head.length) + 64);
  }
}

function referencesOf(text: string): readonly string[] {
  const found = new Set<string>();
  for (const { text: line, block, comment } of scanMarkdown(text).lines) {
    if (block === undefined && !comment && found.size < MOST_REFERENCES && line.length <= REFERENCE_LENGTH && REFERENCE.test(line)) found.add(line.trim());
  }
  return [...found];
}

/** At most so many code units from the start: whole lines when one ends in the last part of them, whole characters in any case. */
function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  const lineEnd = text.lastIndexOf('\n', length);
  if (lineEnd > length - 2_000 && lineEnd > 0) return text.slice(0, lineEnd);
  let end = length;
  // What joins onto the character before it: the second half of a pair, accents, variation selectors, joiners and what they join.
  while (end > 0 && length - end < 64 && !startsCharacter(text, end)) end -= 1;
  return text.slice(0, end);
}

function startsCharacter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit >= 0xdc00 && unit <= 0xdfff) return false;
  return !/^(?:\p{M}|\p{Emoji_Modifier}|\u{200d})/u.test(text.slice(at, at + 2)) && text[at - 1] !== '\u200d';
}
