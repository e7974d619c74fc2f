import { formatNeedsInput, parseNeedsInput } from '@relayflows/sdk';
import { expect, test } from 'vitest';
import { Scratch } from './scratch.js';
import { inEachShell } from './shells.js';

const NONE = 'relayflow needs-input-source: none';
const [CSI, OSC, ST, BEL] = ['\u001B[', '\u001B]', '\u001B\\', '\u0007'];

/** A file, or a message that was cut from a longer one, with what is printed of it; `undefined` where the two implementations need only agree. */
const ROWS: ReadonlyArray<readonly [what: string, text: string | Uint8Array, lines?: readonly string[]]> = [
  ['nothing', ''],
  ['nothing but blanks', ' \r\n\t\n\u3000\u200B\n\u001B[0m'],
  ['a question', 'Which file?\n', ['Which file?']],
  ['lines of it, CRLF and blank ones', '\r\n  Which\tfile?\r\n\r\n- a\r\n\t- b  \n', ['Which file?', '- a', '- b']],
  ['separators of lines and paragraphs', 'a\u2028b\u2029c', ['a', 'b', 'c']],
  ['records that somebody forges', 'relayflow needs-input-source: none\nrelayflow needs-input-truncated: 1 of 2 bytes', ['relayflow needs-input-source: none', 'relayflow needs-input-truncated: 1 of 2 bytes']],
  ['colours', `${CSI}1;31mred${CSI}0m and \u009B4munder`, ['red and under']],
  ['a title and a link', `${OSC}0;title${BEL}a${OSC}8;;http://x${ST}link\u009D0;t\u009Cb`, ['alinkb']],
  ['a string that does not end', `${OSC}0;Which file?\u0000 really?${BEL}`, ['0;Which file? really?']],
  ['a string that a C1 control interrupts', `${OSC}0;a\u0085b${BEL}c\u0090d\u009Ce`, ['0;abce']],
  ['other escapes, and unfinished ones', `\u001B(0a\u001B7b\u001Bcd\u001B${CSI}12e\u001B`],
  ['directions, zero-width characters, tags', 'a\u202Eb\u2066c\u200Bd\u200De\uFEFFf\u{E0041}g\uFFF9h\u00ADi\u3164j\uFE0Fk', ['abcdefghijk']],
  ['blanks of every kind around it', '\u00A0\u2003\u3000\u1680 a \u00A0 b\u202F\u205F', ['a \u00A0 b']],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xFF, 0xC0, 0x80, 0xE2, 0x82, 0x62, 0xED, 0xA0, 0x80, 0xF0, 0x9F, 0x98, 0xF4, 0x90, 0x80, 0x80, 0xE4])],
  ['a zero byte', 'a\u0000b', ['ab']],
  ['sixty-one lines', Array.from({ length: 61 }, (_, index) => `line ${index}`).join('\n')],
  ['4000 bytes in two lines', `${'x'.repeat(1999)}\n${'y'.repeat(2000)}`],
  ['4001 bytes in two lines', `${'x'.repeat(2000)}\n${'y'.repeat(2000)}`],
  ...['x', 'é', '何', '👍', ' 何', '\u3000x', 'xy\u3000'].flatMap((unit) => ['', 'a', 'ab', 'abc'].map((shift) => [`one long line of ${JSON.stringify(unit)}`, shift + unit.repeat(3000)] as const)),
  ['backslashes and percents', '%s \\n \\033[31m $(touch x) `touch x` "\'', ['%s \\n \\033[31m $(touch x) `touch x` "\'']],
];

const PIECES: readonly Uint8Array[] = [
  ...[CSI, `${CSI}31m`, OSC, `${OSC}0;t`, BEL, ST, '\u001B', '\u001B(0', '\u001BP', '\u009B', '\u009D', '\u0090', '\u009C', '\u0085', '\u0000', '\t', '\r\n', '\n', '\n', '\n', ' ', '\u00A0', '\u3000', 'a', 'Which file?', 'é', '何', '👍', 'e\u0301', '\u2028', '\u202E', '\u200B', '\uFEFF', '\u{E0041}',
    'x'.repeat(4_100), '何'.repeat(1_400), '👍'.repeat(1_001), 'line\n'.repeat(70), '\nrelayflow needs-input-source: none\n', '\nrelayflow needs-input: '].map((text) => Buffer.from(text)),
  ...[[0xFF], [0xC3], [0xE2, 0x80], [0xE2], [0xF0, 0x9F], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0x80]].map((bytes) => Uint8Array.from(bytes)),
];

/** The same numbers every time. */
function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

inEachShell((shell) => {
  test.each(ROWS.map(([what, text, lines]) => ({ what, text, lines })))('$what', ({ text, lines }) => {
    const scratch = new Scratch(shell);
    scratch.write('.relayflow/needs-input.md', text);
    const { answer, status } = scratch.run('needs-input');
    expect(answer).toBe(formatNeedsInput({ source: 'needs-input.md', text }));
    expect(status).toBe(0);
    if (lines !== undefined) expect(parseNeedsInput(answer)?.lines).toEqual(lines);
  });

  test('the same for any bytes, from a file and from the end of a message', () => {
    const random = seeded(shell.name.length);
    const scratch = new Scratch(shell);
    for (let round = 0; round < 60; round += 1) {
      const text = Buffer.concat(Array.from({ length: random(30) }, () => PIECES[random(PIECES.length)] ?? Buffer.alloc(0)));
      for (let count = random(6); count > 0 && text.length > 0; count -= 1) text[random(text.length)] = random(256);
      scratch.write('.relayflow/needs-input.md', text);
      expect(scratch.run('needs-input').answer, `round ${round}: ${JSON.stringify(text.toString('latin1'))}`).toBe(formatNeedsInput({ source: 'needs-input.md', text }));

      const message = text.toString('utf8').replaceAll('\u0000', '');
      const totalBytes = Buffer.byteLength(message) + [0, 0, 1, 5_000, -3][random(5)]!;
      scratch.run('', {}, 'rm .relayflow/needs-input.md');
      const { answer } = scratch.run('needs-input', { RELAYFLOW_SUMMARY: message, RELAYFLOW_SUMMARY_BYTES: String(totalBytes) });
      expect(answer, `round ${round}: ${JSON.stringify(message)}`).toBe(formatNeedsInput({ source: 'implementer-summary', text: message, totalBytes }));
    }
  }, 600_000);

  test('a file that has text comes first, one that has none is none', () => {
    const scratch = new Scratch(shell);
    expect(scratch.run('needs-input').answer).toBe(NONE);
    const message = { RELAYFLOW_SUMMARY: 'Which?', RELAYFLOW_SUMMARY_BYTES: 'many' };
    scratch.write('.relayflow/needs-input.md', ' \u200B\n');
    expect(scratch.run('needs-input', message).answer).toBe('relayflow needs-input-source: implementer-summary\nrelayflow needs-input: Which?');
    scratch.write('.relayflow/needs-input.md', 'File?');
    expect(scratch.run('needs-input', message).answer).toBe('relayflow needs-input-source: needs-input.md\nrelayflow needs-input: File?');
    expect(scratch.run('', {}, 'ls -A .relayflow').answer).toBe('needs-input.md');
  });

  test('a file without an end is cut, and says so', () => {
    const scratch = new Scratch(shell);
    for (const text of ['x', '\u00FF', 'line\n'].map((unit) => Buffer.from(unit.repeat(2_000_000 / unit.length), 'latin1'))) {
      scratch.write('.relayflow/needs-input.md', text);
      const { answer } = scratch.run('needs-input');
      expect(answer).toMatch(/^relayflow needs-input-source: needs-input\.md\n(?:relayflow needs-input: .*\n){1,60}relayflow needs-input-truncated: \d+ of 2000000 bytes$/);
    }
  });
});
