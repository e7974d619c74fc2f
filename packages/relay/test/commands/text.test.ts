import { describe, expect, test } from 'vitest';
import { clock, count, lasting, since } from '../../src/commands/text/amounts.js';
import { jsonLine, manyLines, oneLine } from '../../src/commands/text/clean.js';
import { fit, grid, widthOf, wrap } from '../../src/commands/text/columns.js';

describe('what others wrote', () => {
  test.each([
    ['plain', 'plain'],
    ['  a \t b\r\nc ', 'a   b c'],
    ['\u001B[31mred\u001B[0m', 'red'],
    ['\u001B[2J\u001B[Hx', 'x'],
    ['\u001B]0;title\u0007x', 'x'],
    ['\u001B]52;c;AAAA\u001B\\x', 'x'],
    ['\u009B31mx\u009Dt\u009Cy', 'xy'],
    ['\u001Bcx', 'x'],
    ['\u001B]never ends', ''],
    ['a\u0000\u0007\u007Fb', 'ab'],
    ['\u202Eevil\u202C\u2066x', 'evilx'],
    ['line\u2028end', 'line end'],
    ['\u001B', ''],
    ['x\u001B[', 'x'],
  ])('%j is %j on a line', (text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  test('lines and tabs stay where there is room for them', () => {
    expect(manyLines('a\r\n\tb\rc\u001B[1m\u0085d')).toBe('a\n\tb\nc\nd');
  });

  test('no text has a control character left, whatever it is made of', () => {
    const pieces = ['\u001B', '[', ']', 'P', 'm', '0;1', '\u0007', '\u009B', '\u009D', '\u001B\\', 'x', '\n', '\u202E', '\u0000', '?', ' ', 'ü'];
    let seed = 7;
    const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
    for (let round = 0; round < 2_000; round += 1) {
      const text = Array.from({ length: 12 }, () => pieces[random() % pieces.length]).join('');
      expect(manyLines(text)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
      expect(oneLine(text)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
    }
  });

  test('JSON shows no control character either, and says the same', () => {
    const value = { text: 'a\u001B[\u009B\u2028\u0085\n' };
    expect(jsonLine(value)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028]/);
    expect(JSON.parse(jsonLine(value))).toEqual(value);
  });
});

describe('widths', () => {
  test.each([
    ['abcdef', 4, 'abc…'],
    ['abcd', 4, 'abcd'],
    ['日本語', 4, '日…'],
    ['日本語', 6, '日本語'],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦…'],
    ['abc', 0, ''],
    ['abc', 1, '…'],
  ])('%s fits %i columns as %s', (text, columns, shown) => {
    expect(fit(text, columns)).toBe(shown);
    expect(widthOf(fit(text, columns))).toBeLessThanOrEqual(columns);
  });

  test('text is broken between words, and a long word where it must be', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('abcdefghij x', 4)).toEqual(['abcd', 'efgh', 'ij x']);
    expect(wrap('日本語日本', 4)).toEqual(['日本', '語日', '本']);
    expect(wrap('a\n\nb', 10)).toEqual(['a', '', 'b']);
    expect(wrap('', 10)).toEqual(['']);
  });

  test('a grid leaves out what is empty and gives way where it may', () => {
    const columns = [{ title: 'key' }, { title: 'title', least: 5 }, { title: 'none' }, { title: 'n', right: true as const }];
    const rows = [['A-1', 'a long title of a ticket', '', '1'], ['A-22', '日本語', '', '12']];
    expect(grid(columns, rows, 80)).toEqual(['key   title                      n', 'A-1   a long title of a ticket   1', 'A-22  日本語                    12']);
    expect(grid(columns, rows, 20)).toEqual(['key   title        n', 'A-1   a long ti…   1', 'A-22  日本語      12']);
    for (const room of [1, 5, 12, 20, 30]) for (const line of grid(columns, rows, room)) expect(widthOf(line)).toBeLessThanOrEqual(room);
  });
});

describe('amounts', () => {
  test.each([[0, '0 ms'], [999, '999 ms'], [1_000, '1.0 s'], [59_949, '59.9 s'], [59_950, '1m 00s'], [3_599_400, '59m 59s'], [3_599_900, '1h 00m'], [7_500_000, '2h 05m'], [93_600_000, '1d 02h'], [-5, '0 ms']])('%i ms last %s', (ms, text) => {
    expect(lasting(ms)).toBe(text);
  });

  test.each([[0, 'just now'], [4_999, 'just now'], [59_000, '59s ago'], [60_000, '1m ago'], [7_200_000, '2h ago'], [172_800_000, '2d ago'], [-2_000, 'now'], [-61_000, 'in 1m']])('%i ms are %s', (ms, text) => {
    expect(since(1_000_000_000_000 - ms, 1_000_000_000_000)).toBe(text);
  });

  test('today has no date', () => {
    const at = new Date(2031, 3, 1, 14, 5, 9).getTime();
    expect(clock(at, at + 1_000)).toBe('14:05:09');
    expect(clock(at, at + 86_400_000)).toBe('2031-04-01 14:05:09');
  });

  test('one and several', () => {
    expect([count(1, 'run'), count(0, 'run'), count(2, 'retry', 'retries')]).toEqual(['1 run', '0 runs', '2 retries']);
  });
});
