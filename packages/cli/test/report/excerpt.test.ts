import { expect, test } from 'vitest';
import { excerpt, EXCERPT_BYTES } from '../../src/report/excerpt.js';

const numbered = (count: number, text: (index: number) => string = (index) => `line ${index} of a long output`): string => Array.from({ length: count }, (_, index) => text(index)).join('\n');

test('a short output is whole', () => {
  expect(excerpt('one\ntwo\n\n')).toBe('one\ntwo');
  expect(excerpt('')).toBe('');
});

test('a long one keeps its head, what looks like failures, and its tail', () => {
  const output = numbered(2_000, (index) => (index === 700 ? 'AssertionError: expected 3, received 4' : `line ${index} of a long output`));
  const kept = excerpt(output);
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(EXCERPT_BYTES);
  expect(kept).toMatch(/^line 0 of/);
  expect(kept).toMatch(/line 1999 of a long output$/);
  expect(kept).toContain('AssertionError: expected 3, received 4');
  expect(kept).toMatch(/… \d+ lines left out …\nAssertionError/);
});

test('what is left out adds up', () => {
  const kept = excerpt(numbered(3_000)).split('\n');
  const gaps = kept.flatMap((line) => /^… (\d+) lines? left out …$/.exec(line)?.[1] ?? []).map(Number);
  expect(kept.length - gaps.length + gaps.reduce((a, b) => a + b, 0)).toBe(3_000);
});

test.each([
  ['one line without an end', 'x'.repeat(100_000)],
  ['wide characters', '日本語のログ'.repeat(10_000)],
  ['nothing but failures', numbered(5_000, (index) => `Error ${index}: failed`)],
  ['alternating failures', numbered(5_000, (index) => (index % 2 === 0 ? `FAILED ${index}` : 'ok'))],
  ['long lines', numbered(50, () => 'y'.repeat(3_000))],
  ['emoji', '🎉\n'.repeat(20_000)],
])('%s stays within the limit', (_, text) => {
  for (const limit of [EXCERPT_BYTES, 1_024, 512]) {
    const kept = excerpt(text, limit);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit);
    expect(kept).not.toContain('\uFFFD');
    expect(kept).not.toBe('');
  }
});
