import measure from 'fast-string-truncated-width';

/** How many columns a text without control characters takes on a terminal. */
export function widthOf(text: string): number {
  return measure(text).width;
}

/** The text, cut at a character and closed with `…` when it takes more than `columns`. */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return '';
  const { index, truncated, ellipsed } = measure(text, { limit: columns, ellipsis: '…', ellipsisWidth: 1 });
  if (!truncated) return text;
  return ellipsed ? `${text.slice(0, index)}…` : text.slice(0, index);
}

/** Fills with blanks up to a width; a longer text is left as it is. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}
