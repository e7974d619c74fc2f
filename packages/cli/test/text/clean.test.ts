import { describe, expect, test } from 'vitest';
import { cleanColored, cleanLine, cleanText, jsonExcerpt, jsonLine } from '../../src/text/clean.js';

const ESC = '\u001B';

describe('one line', () => {
  test.each([
    ['plain', 'plain'],
    [`${ESC}[31mred${ESC}[0m`, 'red'],
    [`a${ESC}[2J${ESC}[Hb`, 'ab'],
    [`${ESC}]0;title\u0007text`, 'text'],
    [`${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
    [`${ESC}]52;c;c2VjcmV0\u0007copy`, 'copy'],
    [`${ESC}]0;never ended`, ''],
    [`${ESC}P1;2q#0${ESC}\\sixel`, 'sixel'],
    [`${ESC}c${ESC}7${ESC}(0reset`, 'reset'],
    ['\u009B31mC1', 'C1'],
    ['\u009D0;title\u009Ctext', 'text'],
    ['two\nlines\r\nand\ttabs', 'two lines and tabs'],
    ['bell\u0007 back\u0008 null\u0000 del\u007F', 'bell back null del'],
    ['left\u202Egnp.exe', 'leftgnp.exe'],
    ['  around  ', 'around'],
    ['日本 🎉 é', '日本 🎉 é'],
  ])('%j', (dirty, clean) => {
    expect(cleanLine(dirty)).toBe(clean);
  });
});

describe('several lines', () => {
  test('keep line feeds and tabs', () => {
    expect(cleanText(`a\n\tb${ESC}[1A\u0008c`)).toBe('a\n\tbc');
  });

  test('a progress bar shows what it wrote last', () => {
    expect(cleanText('10%\r50%\r100%\nnext\r\n')).toBe('100%\nnext\n');
  });

  test('colors may stay, movements not', () => {
    expect(cleanColored(`${ESC}[1;32mok${ESC}[0m${ESC}[2K\rover${ESC}[10Awritten`)).toBe(`${ESC}[1;32mok${ESC}[0m\noverwritten`);
  });
});

describe('JSON', () => {
  test('is one line without anything a terminal obeys', () => {
    const line = jsonLine({ text: `\u009B2J${ESC}[2J\n\u2028` });
    expect(line).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line)).toEqual({ text: `\u009B2J${ESC}[2J\n\u2028` });
  });

  test('is cut where asked', () => {
    expect(jsonExcerpt({ a: 'xxxxxxxxxx' }, 8)).toBe('{"a":"x…');
    expect(jsonExcerpt(undefined, 8)).toBe('null');
  });
});
