import stringWidth from 'string-width';

/** Lines of at most so many columns, broken at blanks; a word that is longer is broken anywhere. After `most` lines the rest is left out, with an ellipsis. */
export function wrap(text: string, columns: number, most: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, columns))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || stringWidth(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1] ?? ''}…`];
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function pieces(word: string, columns: number): readonly string[] {
  if (stringWidth(word) <= columns) return [word];
  const found: string[] = [];
  let piece = '';
  let width = 0;
  for (const { segment } of letters.segment(word)) {
    const step = stringWidth(segment);
    if (piece !== '' && width + step > columns) {
      found.push(piece);
      [piece, width] = ['', 0];
    }
    piece += segment;
    width += step;
  }
  return [...found, piece];
}
