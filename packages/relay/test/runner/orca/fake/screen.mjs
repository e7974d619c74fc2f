const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;
/** One piece of what a program writes: a control sequence, a string for the terminal itself, an escape, or a character. */
const PIECE = /\u001B\[([<=>?]?)([0-9:;]*)([ -/]*)([@-~])|\u001B[\]P_^X](?:[^\u0007\u001B]|\u001B(?!\\))*(?:\u0007|\u001B\\)|\u001B([ -/]*)([0-~])|([^])/gu;

/** What stands on a screen after a program has written all this: as much of a terminal as full-screen programs use. */
export function drawn(text, { columns, rows }) {
  const blank = () => Array.from({ length: columns }, () => ' ');
  let cells = Array.from({ length: rows }, blank);
  let [x, y, top, bottom, saved] = [0, 0, 0, rows - 1, [0, 0]];
  let last = ' ';
  const at = (row, column) => {
    y = Math.max(0, Math.min(rows - 1, row));
    x = Math.max(0, Math.min(columns - 1, column));
  };
  const scroll = (from, count) => {
    for (let done = 0; done < Math.min(Math.abs(count), rows); done += 1) {
      if (count > 0) {
        cells.splice(from, 1);
        cells.splice(bottom, 0, blank());
      } else {
        cells.splice(bottom, 1);
        cells.splice(from, 0, blank());
      }
    }
  };
  const down = () => {
    if (y === bottom) scroll(top, 1);
    else y = Math.min(rows - 1, y + 1);
  };
  const put = (character) => {
    const width = WIDE.test(character) ? 2 : 1;
    if (x + width > columns) {
      x = 0;
      down();
    }
    cells[y][x] = character;
    if (width === 2) cells[y][x + 1] = '';
    x += width;
    last = character;
  };
  const erase = (row, from, to) => cells[row]?.fill(' ', from, to);
  const sequence = (mark, numbers, final) => {
    const [first = 0, second = 0] = numbers.split(';').map((number) => Number.parseInt(number, 10) || 0);
    const count = first || 1;
    if (mark === '?' && (final === 'h' || final === 'l') && /^(?:47|1047|1049)$/.test(numbers)) {
      cells = Array.from({ length: rows }, blank);
      at(0, 0);
    }
    if (mark !== '') return;
    switch (final) {
      case 'A': at(y - count, x); break;
      case 'B': at(y + count, x); break;
      case 'C': at(y, x + count); break;
      case 'D': at(y, x - count); break;
      case 'E': at(y + count, 0); break;
      case 'F': at(y - count, 0); break;
      case 'G': at(y, count - 1); break;
      case 'd': at(count - 1, x); break;
      case 'H':
      case 'f': at(count - 1, (second || 1) - 1); break;
      case 'J':
        erase(y, first === 0 ? x : 0, first === 1 ? x + 1 : columns);
        for (let row = first === 0 ? y + 1 : 0; row < (first === 1 ? y : rows); row += 1) erase(row, 0, columns);
        break;
      case 'K': erase(y, first === 0 ? x : 0, first === 1 ? x + 1 : columns); break;
      case 'X': erase(y, x, x + count); break;
      case 'P': cells[y].splice(x, count); cells[y].push(...blank().slice(0, columns - cells[y].length)); break;
      case '@': cells[y].splice(x, 0, ...blank().slice(0, count)); cells[y].length = columns; break;
      case 'L': scroll(y, -count); break;
      case 'M': scroll(y, count); break;
      case 'S': scroll(top, count); break;
      case 'T': scroll(top, -count); break;
      case 'b': for (let done = 0; done < count; done += 1) put(last); break;
      case 'r': [top, bottom] = [count - 1, (second || rows) - 1]; at(0, 0); break;
      case 's': saved = [y, x]; break;
      case 'u': at(...saved); break;
      default: // Colors, modes and questions to the terminal change nothing that stands there.
    }
  };
  for (const [, mark, numbers, , final, , escape, character] of text.matchAll(PIECE)) {
    if (final !== undefined) sequence(mark, numbers, final);
    else if (escape === '7') saved = [y, x];
    else if (escape === '8') at(...saved);
    else if (escape === 'M' && y === top) scroll(top, -1);
    else if (escape === 'M') at(y - 1, x);
    else if (character === '\n') down();
    else if (character === '\r') x = 0;
    else if (character === '\b') at(y, x - 1);
    else if (character === '\t') at(y, x - (x % 8) + 8);
    else if (character !== undefined && character >= ' ' && !/\p{M}|\u200d/u.test(character)) put(character);
  }
  return cells.map((row) => row.join('').trimEnd()).join('\n');
}
