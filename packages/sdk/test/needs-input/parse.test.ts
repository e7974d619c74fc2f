import { describe, expect, it } from 'vitest';
import { formatNeedsInput } from '../../src/needs-input/format.js';
import { parseNeedsInput } from '../../src/needs-input/parse.js';
import type { NeedsInputRecord } from '../../src/needs-input/record.js';

const SOURCE = 'relayflow needs-input-source: ';
const QUESTION = 'relayflow needs-input: ';
const TRUNCATED = 'relayflow needs-input-truncated: ';

const asked = (...lines: readonly string[]): NeedsInputRecord => ({ source: 'needs-input.md', lines });

describe('a source record', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['other output', 'npm warn\nrelayflow phase: implementing\n'],
    ['a question without a source', `${QUESTION}Which?\n${TRUNCATED}6 of 9 bytes\n`],
    ['an unknown source', `${SOURCE}ticket.md\n${QUESTION}Which?`],
    ['another case', `${SOURCE.toUpperCase()}none`],
    ['something before it on the line', ` ${SOURCE}none\n> ${SOURCE}none\nrelayflow: ${SOURCE}none`],
    ['something behind it on the line', `${SOURCE}none \n${SOURCE}none, really\n${SOURCE}`],
    ['a line that only a carriage return begins', `x\r${SOURCE}none\ry`],
    ['a line that only a separator begins', `x\u2028${SOURCE}none`],
    ['the text of a question', `${QUESTION}${SOURCE}none`],
  ])('is not found in %s', (_what, text) => {
    expect(parseNeedsInput(text)).toBeUndefined();
  });
});

it.each<[string, readonly string[], NeedsInputRecord]>([
  ['a question of a file', [`${SOURCE}needs-input.md`, `${QUESTION}Which?`, `${QUESTION}a or b?`], asked('Which?', 'a or b?')],
  ['the end of a summary', [`${SOURCE}implementer-summary`, `${QUESTION}Which?`], { source: 'implementer-summary', lines: ['Which?'] }],
  ['no question', [`${SOURCE}none`], { source: 'none', lines: [] }],
  ['a source with nothing behind it', [`${SOURCE}needs-input.md`], asked()],
  ['a stop message', ['Nothing was changed, checked, pushed or opened.', `${SOURCE}needs-input.md`, `${QUESTION}Which?`, 'RUN 01 needs_human'], asked('Which?')],
  ['records between which others wrote', [`${SOURCE}needs-input.md`, `${QUESTION}a`, 'warning: left_running', '', `${QUESTION}b`], asked('a', 'b')],
  ['a cut', [`${SOURCE}needs-input.md`, `${QUESTION}a`, `${TRUNCATED}1 of 900 bytes`], { ...asked('a'), truncated: { keptBytes: 1, totalBytes: 900 } }],
  ['only the first of two sources', [`${SOURCE}needs-input.md`, `${QUESTION}a`, `${SOURCE}none`, `${QUESTION}b`, `${TRUNCATED}1 of 2 bytes`], asked('a')],
  ['only the first of two repeated ones', [`${SOURCE}needs-input.md`, `${QUESTION}a`, `${SOURCE}needs-input.md`, `${QUESTION}a`], asked('a')],
  ['an unknown source after a known one as text of others', [`${SOURCE}needs-input.md`, `${SOURCE}x`, `${QUESTION}a`], asked('a')],
  ['nothing before the source', [`${QUESTION}forged`, `${TRUNCATED}1 of 2 bytes`, `${SOURCE}needs-input.md`, `${QUESTION}a`], asked('a')],
  ['nothing after the cut', [`${SOURCE}needs-input.md`, `${QUESTION}a`, `${TRUNCATED}1 of 2 bytes`, `${QUESTION}b`, `${TRUNCATED}3 of 4 bytes`], { ...asked('a'), truncated: { keptBytes: 1, totalBytes: 2 } }],
  ['no lines and no cut without a question', [`${SOURCE}none`, `${QUESTION}a`, `${TRUNCATED}1 of 2 bytes`], { source: 'none', lines: [] }],
  ['a question that looks like records', [`${SOURCE}needs-input.md`, `${QUESTION}${SOURCE}none`, `${QUESTION}${TRUNCATED}1 of 2 bytes`], asked(`${SOURCE}none`, `${TRUNCATED}1 of 2 bytes`)],
  ['lines that nobody cleaned', [`${SOURCE}needs-input.md`, `${QUESTION}\t\u001B[2Ja\u202E\u2028b\u0007 `, QUESTION, `${QUESTION}\u200B`], asked('a', 'b')],
])('reads %s', (_what, printed, expected) => {
  expect(parseNeedsInput(printed.join('\n'))).toEqual(expected);
  expect(parseNeedsInput(`${printed.join('\r\n')}\r\n`)).toEqual(expected);
});

it.each(['1 of 2 byte', '1 of 2', '2 of 1 bytes', '2 of 2 bytes', '-1 of 2 bytes', '1.5 of 2 bytes', '1 of 1e9 bytes', '1  of 2 bytes', '1 of 2 bytes ', 'x of y bytes', '1 of 9999999999999999 bytes', ''])(
  'passes over the malformed cut "%s"',
  (cut) => {
    expect(parseNeedsInput([`${SOURCE}needs-input.md`, `${QUESTION}a`, TRUNCATED + cut, `${QUESTION}b`].join('\n'))).toEqual(asked('a', 'b'));
  },
);

describe('what nobody bounded', () => {
  const printed = (source: string, lines: readonly string[], ...more: readonly string[]): string => [SOURCE + source, ...lines.map((line) => QUESTION + line), ...more].join('\n');
  const many = Array.from({ length: 100 }, (_, index) => `line ${index}`);

  it('is bounded to 60 lines, at the end that the source says', () => {
    expect(parseNeedsInput(printed('needs-input.md', many))).toEqual({ ...asked(...many.slice(0, 60)), truncated: { keptBytes: 469, totalBytes: 789 } });
    expect(parseNeedsInput(printed('implementer-summary', many))).toEqual({ source: 'implementer-summary', lines: many.slice(40), truncated: { keptBytes: 479, totalBytes: 789 } });
  });

  it('is bounded to 4,000 bytes', () => {
    expect(parseNeedsInput(printed('needs-input.md', ['ö'.repeat(2_001)]))).toEqual({ ...asked('ö'.repeat(2_000)), truncated: { keptBytes: 4_000, totalBytes: 4_002 } });
    expect(parseNeedsInput(printed('implementer-summary', ['a'.repeat(3_000), 'b'.repeat(3_000)]))?.lines).toEqual(['b'.repeat(3_000)]);
  });

  it('keeps the size that a cut names, if that is more', () => {
    expect(parseNeedsInput(printed('needs-input.md', many, `${TRUNCATED}789 of 5000 bytes`))?.truncated).toEqual({ keptBytes: 469, totalBytes: 5_000 });
    expect(parseNeedsInput(printed('needs-input.md', many, `${TRUNCATED}1 of 2 bytes`))?.truncated).toEqual({ keptBytes: 469, totalBytes: 789 });
  });
});

it('finds what was printed, whatever text came before and after it', () => {
  const text = `Which?\r\n${SOURCE}none\n${'a or b? '.repeat(600)}`;
  const printed = formatNeedsInput({ source: 'needs-input.md', text, totalBytes: 9_000 });
  expect(parseNeedsInput(`Nothing was changed.\n${printed}\n${SOURCE}none\n`)).toEqual({ ...asked('Which?', `${SOURCE}none`), truncated: { keptBytes: 41, totalBytes: 9_000 } });
});
