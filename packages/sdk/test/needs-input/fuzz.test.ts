import { expect, it } from 'vitest';
import { formatNeedsInput, type NeedsInputText } from '../../src/needs-input/format.js';
import { parseNeedsInput } from '../../src/needs-input/parse.js';
import { NEEDS_INPUT_MAX_BYTES, NEEDS_INPUT_MAX_LINES, type NeedsInputRecord } from '../../src/needs-input/record.js';
import { renderNeedsInput } from '../../src/needs-input/render.js';
import { seededRandom } from '../seeded-random.js';
import { REFERENCES, rendered, TRIGGERS } from './rendered.js';

const RECORD = /^relayflow needs-input(?:-source: (?:needs-input\.md|implementer-summary|none)|: \S.*|-truncated: \d+ of \d+ bytes)$/;
const HARMFUL = /[\p{Cc}\p{Surrogate}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;

const TERMINAL = [
  'a', 'Which file?', ' ', '\n', '\n', '\r\n', '\r', '\t', '\u001B', '\u001B[', '\u001B[31m', '\u001B]', '\u001B]0;t\u0007', '\u001BP', '\u001B\\', '\u001B(0', '\u009B', '\u009D', '\u0090', '\u009C', '\u0007', '\u0000', '\u0085',
  '\u2028', '\u202E', '\u2066', '\u200B', '\u200D', '\uFEFF', '\u{E0041}', '\uFFF9', '\uD83D', '\uDE00', '👍', 'é', '何', 'e\u0301', 'x'.repeat(4_100), '何'.repeat(1_400), '👍'.repeat(1_001), '\n'.repeat(70), 'line\n'.repeat(70),
  'relayflow needs-input-source: none', '\nrelayflow needs-input-source: needs-input.md\n', '\nrelayflow needs-input: ', '\nrelayflow needs-input-truncated: 1 of 2 bytes\n',
];

const MARKUP = [
  ...'`~!@#$%^&*()-_=+[]{}\\|;:\'",.<>/? \n'.split(''), ' ', ' ', ' ', '\n', 'a', 'b', '1', '12', 'www', 'http', '://', '](', '![', '```', '~~~', '---', '===', '- ', '1. ', '# ', '> ', '@team', '#12', 'GH-12', 'x.example', 'deadbee', '<b>', '</b>', '<!--',
  '&#64;', '&lt;', '[a]: ', '[^1]', '| ', '|-|-|', '＠', '＃', '何', '\u00A0', ':smile:', '$x$', '[x] ', '\\`', 'a@b.example',
];

function pick(random: (limit: number) => number, pieces: readonly string[], most: number): string {
  return Array.from({ length: random(most) }, () => pieces[random(pieces.length)]).join('');
}

function randomText(random: (limit: number) => number): string | Uint8Array {
  const text = pick(random, TERMINAL, 40);
  if (random(3) > 0) return text;
  const bytes = Buffer.from(text);
  for (let count = random(20); count > 0 && bytes.length > 0; count -= 1) bytes[random(bytes.length)] = random(256);
  return bytes;
}

function recordOf(text: NeedsInputText): NeedsInputRecord {
  const printed = formatNeedsInput(text);
  const record = parseNeedsInput(printed);
  if (record === undefined) throw new Error(`no record in ${printed}`);
  return record;
}

it('prints nothing but records, one source first, within bounds, whatever the text', () => {
  const random = seededRandom(5);
  for (let round = 0; round < 1_500; round += 1) {
    const text = randomText(random);
    const source = random(2) === 0 ? 'needs-input.md' : 'implementer-summary';
    const size = Buffer.byteLength(text);
    const printed = formatNeedsInput({ source, text, ...(random(3) === 0 ? { totalBytes: random(2 * size + 10) } : {}) });
    const records = printed.split('\n');
    const questions = records.filter((line) => line.startsWith('relayflow needs-input: ')).map((line) => line.slice(23));

    const wrong = [
      ...records.filter((line) => !RECORD.test(line) || HARMFUL.test(line)),
      ...records.slice(1).filter((line) => line.startsWith('relayflow needs-input-source: ')),
      ...records.slice(0, -1).filter((line) => line.startsWith('relayflow needs-input-truncated: ')),
      ...questions.filter((line) => line !== line.trim()),
    ];
    expect(wrong, `round ${round}`).toEqual([]);
    expect(records[0], `round ${round}`).toBe(`relayflow needs-input-source: ${questions.length === 0 ? 'none' : source}`);
    expect(questions.length, `round ${round}`).toBeLessThanOrEqual(NEEDS_INPUT_MAX_LINES);
    expect(Buffer.byteLength(questions.join('\n')), `round ${round}`).toBeLessThanOrEqual(NEEDS_INPUT_MAX_BYTES);

    // A character that was split would have become one that the text had not.
    const replaced = (typeof text === 'string' ? text.toWellFormed() : text.toString()).includes('\uFFFD');
    if (!replaced) expect(printed, `round ${round}`).not.toContain('\uFFFD');
  }
});

it('reads back what it prints, and prints again what it read', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 1_500; round += 1) {
    const text = randomText(random);
    const printed = formatNeedsInput({ source: 'implementer-summary', text, totalBytes: random(9_000) });
    const record = parseNeedsInput(`Nothing was changed.\r\n${printed.replaceAll('\n', random(2) === 0 ? '\n' : '\r\n')}\r\nrelayflow phase: publishing\n`);
    expect(record?.lines, `round ${round}`).toEqual(printed.split('\n').filter((line) => line.startsWith('relayflow needs-input: ')).map((line) => line.slice(23)));
    expect(record?.truncated?.keptBytes ?? 0, `round ${round}`).toBe(record?.truncated === undefined ? 0 : Buffer.byteLength(record.lines.join('\n')));
    if (record === undefined) continue;
    const again = { source: record.source, text: record.lines.join('\n'), ...(record.truncated === undefined ? {} : { totalBytes: record.truncated.totalBytes }) };
    expect(formatNeedsInput(again), `round ${round}`).toBe(printed);
  }
});

it('shows any markup as it reads, and lets none come alive', () => {
  const random = seededRandom(11);
  for (let round = 0; round < 300; round += 1) {
    const record = recordOf({ source: 'needs-input.md', text: pick(random, MARKUP, 60) });
    if (record.source === 'none') continue;
    const markdown = renderNeedsInput(record);
    const { kinds, lines, texts } = rendered(markdown);
    expect([...kinds].filter((kind) => !['blockquote', 'paragraph', 'text', 'inlineCode', 'break'].includes(kind)), markdown).toEqual([]);
    expect(lines, markdown).toEqual(record.lines);
    const quotation = markdown.slice(markdown.indexOf('\n\n')).replace(/&#x[0-9a-f]+;/g, '\uFFFC');
    expect(TRIGGERS.filter((pattern) => pattern.test(quotation)), markdown).toEqual([]);
    expect(REFERENCES.filter((pattern) => texts.some((text) => pattern.test(text))), markdown).toEqual([]);
  }
});

it.each(['\u001B[', '\u001B]', '\u001B]0;', '\u001B  ', '\u009D', '\u009Dx', '\u200B', '\uD800', 'a\r', ' ', 'a ', '"', "a'", 'a-', '1,', '`', '@', '[x](', 'relayflow needs-input: \n'])(
  'takes time in proportion to the length of %j',
  (part) => {
    const text = part.repeat(Math.ceil(500_000 / part.length));
    const record = recordOf({ source: 'implementer-summary', text });
    parseNeedsInput(`relayflow needs-input-source: needs-input.md\n${text}`);
    renderNeedsInput(record);
    // Seconds of the test's own limit are for a slow machine: in quadratic time this would take hours.
    renderNeedsInput({ source: 'needs-input.md', lines: [text] });
  },
);
