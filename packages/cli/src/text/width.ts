import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const PLAIN = /^[\x20-\x7E]*$/;

/** How many columns a text takes on a terminal; colors take none. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** The text, cut between characters and closed with `…` when it takes more than `columns`. For text without colors. */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (widthOf(text) <= columns) return text;
  if (PLAIN.test(text)) return `${text.slice(0, columns - 1)}…`;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment);
    if (used > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Fills with blanks up to a width; a longer text is left as it is. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}
