import stringWidth from 'string-width';

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that a text takes; colors take none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cut to a width, between characters, with `…` in place of the rest. Not for text with colors. */
export function fit(text: string, width: number): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  let kept = '';
  let taken = 0;
  for (const { segment } of characters.segment(text)) {
    taken += widthOf(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Filled with blanks to a width. */
export function fill(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Broken between words into lines of a width; a word that is longer is broken where it must be. Lines of the text stay lines. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(4, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/ +/)) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (widthOf(longer) <= width) {
      current = longer;
      continue;
    }
    if (current !== '') lines.push(current);
    const pieces = pieced(word, width);
    current = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return [...lines, current];
}

function pieced(word: string, width: number): string[] {
  const pieces = [''];
  for (const { segment } of characters.segment(word)) {
    const last = pieces.length - 1;
    if (widthOf(`${pieces[last]}${segment}`) > width && pieces[last] !== '') pieces.push(segment);
    else pieces[last] += segment;
  }
  return pieces;
}

export interface Column {
  readonly title: string;
  readonly right?: true;
  /** What gives way when there is not enough room, and how much of it stays at least. */
  readonly least?: number;
}

/** A heading and rows below each other. A column without any text is left out. */
export function grid(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): string[] {
  const shown = columns.map((column, at) => ({ ...column, at })).filter(({ at }) => rows.some((row) => (row[at] ?? '') !== ''));
  const widths = shown.map(({ title, at }) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ''))));
  let missing = widths.reduce((sum, width) => sum + width + 2, -2) - room;
  for (const [place, { least }] of shown.entries()) {
    if (least === undefined || missing <= 0) continue;
    const given = Math.min(missing, Math.max(0, (widths[place] ?? 0) - least));
    widths[place] = (widths[place] ?? 0) - given;
    missing -= given;
  }
  const line = (texts: readonly string[]): string =>
    fit(
      texts.map((text, place) => {
        const width = widths[place] ?? 0;
        const cut = fit(text, width);
        return shown[place]?.right === true ? ' '.repeat(Math.max(0, width - widthOf(cut))) + cut : fill(cut, width);
      }).join('  ').trimEnd(),
      room,
    );
  return [line(shown.map(({ title }) => title)), ...rows.map((row) => line(shown.map(({ at }) => row[at] ?? '')))];
}

/** Names and values in two columns; values are broken to the room there is. */
export function facts(pairs: readonly (readonly [name: string, value: string])[], room: number, dim: (text: string) => string): string[] {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)));
  return pairs.flatMap(([name, value]) => wrap(value, room - width - 3).map((line, index) => `  ${dim(fill(index === 0 ? name : '', width))} ${line}`));
}
