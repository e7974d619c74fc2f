import { describe, expect, it } from 'vitest';
import { formatNeedsInput, type NeedsInputText } from '../../src/needs-input/format.js';

const SOURCE = 'relayflow needs-input-source: ';
const QUESTION = 'relayflow needs-input: ';
const TRUNCATED = 'relayflow needs-input-truncated: ';

const lines = (text: NeedsInputText['text']): readonly string[] =>
  formatNeedsInput({ source: 'needs-input.md', text }).split('\n').slice(1).map((line) => line.slice(QUESTION.length));

it('prints the source, the question line by line, and nothing else', () => {
  expect(formatNeedsInput({ source: 'needs-input.md', text: 'Which file?\n\nsrc/a.ts or src/b.ts?\n' })).toBe([
    `${SOURCE}needs-input.md`,
    `${QUESTION}Which file?`,
    `${QUESTION}src/a.ts or src/b.ts?`,
  ].join('\n'));
});

it.each<[string, string, readonly string[]]>([
  ['trims lines and drops blank ones', '  a \n\n \t \n\u00A0\u3000\nb\n', ['a', 'b']],
  ['reads CRLF', 'a\r\nb\r\n', ['a', 'b']],
  ['removes a carriage return that would overwrite', 'harmful\rharmless', ['harmfulharmless']],
  ['turns tabs into spaces', 'a\tb\t\tc', ['a b  c']],
  ['removes colours and cursor movements', '\u001B[1;31mred\u001B[0m \u001B[2J\u001B[Hx\u001B[?25l\u001B[38:5:1m\u001B[0 q', ['red x']],
  ['removes CSI in its 8-bit form', '\u009B31mred\u009B0m', ['red']],
  ['removes titles and links, ended by BEL or ST', '\u001B]0;title\u0007a\u001B]8;;https://a.example\u001B\\b\u009D8;;\u009Cc', ['abc']],
  ['removes DCS, SOS, PM and APC strings', '\u001BPq\u001B\\a\u001BXx\u001B\\b\u001B^x\u001B\\c\u001B_x\u001B\\d\u0090x\u009Ce\u0098x\u009Cf\u009Ex\u009Cg\u009Fx\u009Ch', ['abcdefgh']],
  ['removes other escapes', '\u001Bca\u001B(0b\u001B7c\u001B=d\u001B#8e', ['abcde']],
  ['keeps what follows an unfinished sequence', '\u001B]0;the rest\nof it \u001B[31\nand \u009Dso on \u001B', ['0;the rest', 'of it 31', 'and so on']],
  ['leaves no escape where one stood in another', '\u001B\u001B[31m[31mx \u001B]0;\u001B[31mt\u0007y', ['[31mx 0;ty']],
  ['removes C0, C1 and DEL', 'a\u0000b\u0007c\u0008d\u000Be\u000Cf\u007Fg\u0080h\u0085i\u009Aj', ['abcdefghij']],
  ['removes directions', 'a\u061Cb\u200Ec\u200Fd\u202Ae\u202Bf\u202Cg\u202Dh\u202Ei\u2066j\u2067k\u2068l\u2069m', ['abcdefghijklm']],
  ['removes zero-width characters and other ones without a glyph', 'a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf\u00ADg\u180Eh\u2064i\u{E0041}j\u3164k\uFE0Fl\uFFF9m', ['abcdefghijklm']],
  ['takes line and paragraph separators for line ends', 'a\u2028b\u2029c', ['a', 'b', 'c']],
  ['shows half a surrogate pair as U+FFFD', '\uD83Da\uDE00', ['\uFFFDa\uFFFD']],
  ['keeps every script, emoji and combining mark', 'Größe? 何か 👍 e\u0301 שלום', ['Größe? 何か 👍 e\u0301 שלום']],
  ['is not deceived by its own records', `${SOURCE}none\n${TRUNCATED}1 of 2 bytes\n${QUESTION}x`, [`${SOURCE}none`, `${TRUNCATED}1 of 2 bytes`, `${QUESTION}x`]],
])('%s', (_rule, text, expected) => {
  expect(lines(text)).toEqual(expected);
});

it('takes bytes, and shows those that are not UTF-8 as U+FFFD', () => {
  expect(lines(Buffer.from('\uFEFFa\nGröße'))).toEqual(['a', 'Größe']);
  expect(lines(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x9b, 0x33, 0x31, 0x6d, 0x0a, 0xf0, 0x9f, 0x91]))).toEqual(['a\uFFFD\uFFFD(\uFFFD31m', '\uFFFD']);
});

it.each([
  ['an empty text', 'needs-input.md', ''],
  ['blank lines', 'needs-input.md', '\r\n \t\n'],
  ['escapes only', 'implementer-summary', '\u001B[2J\u200B\u202E\u0000'],
  ['no source', 'none', 'text'],
] as const)('has the source none for %s', (_what, source, text) => {
  expect(formatNeedsInput({ source, text })).toBe(`${SOURCE}none`);
});

describe('bounds', () => {
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${String(index).padStart(4, '0')}`);
  const format = (source: NeedsInputText['source'], texts: readonly string[], totalBytes?: number): readonly string[] =>
    formatNeedsInput({ source, text: texts.join('\n'), ...(totalBytes === undefined ? {} : { totalBytes }) }).split('\n').slice(1);
  const questions = (texts: readonly string[]): readonly string[] => texts.map((text) => QUESTION + text);

  it('leave 60 lines whole', () => {
    expect(format('needs-input.md', numbered(60))).toEqual(questions(numbered(60)));
    expect(format('implementer-summary', numbered(60))).toEqual(questions(numbered(60)));
  });

  it('keep the first 60 lines of a file and the last 60 of a summary', () => {
    expect(format('needs-input.md', numbered(61))).toEqual([...questions(numbered(61).slice(0, 60)), `${TRUNCATED}599 of 609 bytes`]);
    expect(format('implementer-summary', numbered(61))).toEqual([...questions(numbered(61).slice(1)), `${TRUNCATED}599 of 609 bytes`]);
  });

  it('count newlines between lines, and cut between them', () => {
    const full = [...Array.from({ length: 39 }, () => 'x'.repeat(99)), 'y'.repeat(100)];
    expect(format('needs-input.md', full)).toEqual(questions(full));
    const over = [...full.slice(0, 39), 'y'.repeat(101)];
    expect(format('needs-input.md', over)).toEqual([...questions(over.slice(0, 39)), `${TRUNCATED}3899 of 4001 bytes`]);
    expect(format('implementer-summary', over)).toEqual([...questions(over.slice(1)), `${TRUNCATED}3901 of 4001 bytes`]);
  });

  it('cut a single line between characters', () => {
    expect(format('needs-input.md', ['x'.repeat(4_000)])).toEqual([QUESTION + 'x'.repeat(4_000)]);
    expect(format('needs-input.md', [`x${'ö'.repeat(2_000)}`])).toEqual([`${QUESTION}x${'ö'.repeat(1_999)}`, `${TRUNCATED}3999 of 4001 bytes`]);
    expect(format('implementer-summary', [`${'👍'.repeat(1_000)}xy`])).toEqual([`${QUESTION}${'👍'.repeat(999)}xy`, `${TRUNCATED}3998 of 4002 bytes`]);
  });

  it('keep a part of the outermost line when it alone is too long', () => {
    expect(format('needs-input.md', ['x'.repeat(5_000), 'end'])).toEqual([QUESTION + 'x'.repeat(4_000), `${TRUNCATED}4000 of 5004 bytes`]);
    expect(format('implementer-summary', ['start', 'x'.repeat(5_000)])).toEqual([QUESTION + 'x'.repeat(4_000), `${TRUNCATED}4000 of 5006 bytes`]);
    expect(format('implementer-summary', ['x'.repeat(5_000), 'end'])).toEqual([`${QUESTION}end`, `${TRUNCATED}3 of 5004 bytes`]);
  });

  it('name the full size of a text that had been cut before', () => {
    expect(format('implementer-summary', ['the end'], 12_345)).toEqual([`${QUESTION}the end`, `${TRUNCATED}7 of 12345 bytes`]);
    expect(format('implementer-summary', numbered(61), 12_345).at(-1)).toBe(`${TRUNCATED}599 of 12345 bytes`);
    const bytes = Buffer.from([0xff, 0xff]);
    expect(formatNeedsInput({ source: 'implementer-summary', text: bytes, totalBytes: 3 })).toContain(`${TRUNCATED}6 of 7 bytes`);
  });

  it.each([['the size of the text', 7], ['less', 3], ['a fraction', 99.5], ['no number', Number.NaN], ['a negative one', -1], ['an endless one', Infinity]])('ignore a full size that is %s', (_what, totalBytes) => {
    expect(format('implementer-summary', ['the end'], totalBytes)).toEqual([`${QUESTION}the end`]);
  });
});
