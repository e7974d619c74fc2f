export const PLACEHOLDER_START = '[redacted:';

/** What stands in the text for a secret that was taken out. */
export function placeholder(label: string): string {
  return `${PLACEHOLDER_START}${label}]`;
}

/** The name of a variable as a label: no character that could end the placeholder or break a line. */
export function labelOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 64);
}

/** The longest placeholder. */
export const PLACEHOLDER_LENGTH = PLACEHOLDER_START.length + 64 + 1;

const PLACEHOLDER = /\[redacted:[A-Za-z0-9_.-]{1,64}\]/;
const ONLY_PLACEHOLDER = /^\[redacted:[A-Za-z0-9_.-]{1,64}\]$/;
const ENDS_IN_PLACEHOLDER = /\[redacted:[A-Za-z0-9_.-]{1,64}\]$/;
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g');

/** A value that holds a placeholder went through a redactor before, so what is left of it was judged then. */
export function holdsPlaceholder(text: string): boolean {
  return text.includes(PLACEHOLDER_START) && PLACEHOLDER.test(text);
}

export function isPlaceholder(text: string): boolean {
  return ONLY_PLACEHOLDER.test(text);
}

/**
 * Whether a placeholder ends at an index. What it stands for may have ended in a letter, so what follows is no more the beginning of a word
 * than it was before: otherwise redacting twice would find more than redacting once.
 */
export function followsPlaceholder(text: string, index: number): boolean {
  return text.charAt(index - 1) === ']' && ENDS_IN_PLACEHOLDER.test(text.slice(Math.max(0, index - PLACEHOLDER_LENGTH), index));
}

/** Whether the characters from `start` to `end` belong to a placeholder whose label `accepts` takes. */
export function insidePlaceholder(text: string, start: number, end: number, accepts: (label: string) => boolean): boolean {
  const from = Math.max(0, start - PLACEHOLDER_LENGTH);
  const around = text.slice(from, end + PLACEHOLDER_LENGTH);
  if (!around.includes(PLACEHOLDER_START)) return false;
  for (const match of around.matchAll(PLACEHOLDERS)) {
    const at = from + match.index;
    if (at <= start && end <= at + match[0].length) return accepts(match[0].slice(PLACEHOLDER_START.length, -1));
  }
  return false;
}
