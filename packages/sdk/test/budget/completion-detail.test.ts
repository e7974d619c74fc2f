import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redactor.js';
import { formatNeedsInput } from '../../src/needs-input/format.js';
import { parseNeedsInput } from '../../src/needs-input/parse.js';
import { foldDetail, treatDetail } from '../../src/run/completion-detail.js';

const redact = createRedactor({ env: { API_TOKEN: 'a-very-secret-value' } });
const treat = (detail: string): string | undefined => treatDetail({ detail, redact });

describe('the detail of a verdict', () => {
  it('is trimmed, and absent when nothing is left', () => {
    expect(treat('  https://example.test/pull/7\n')).toBe('https://example.test/pull/7');
    expect(treat('')).toBeUndefined();
    expect(treat(' \t\r\n\u2003\uFEFF')).toBeUndefined();
  });

  it('keeps 2,000 code points and cuts 2,001, the suffix included', () => {
    expect(treat('x'.repeat(2_000))).toBe('x'.repeat(2_000));
    const cut = treat('x'.repeat(2_001)) ?? '';
    expect(Array.from(cut)).toHaveLength(2_000);
    expect(cut.endsWith('x… (truncated)')).toBe(true);
  });

  it('counts code points, not units, and splits no pair', () => {
    expect(treat('😀'.repeat(2_000))).toBe('😀'.repeat(2_000));
    const cut = treat('😀'.repeat(5_000)) ?? '';
    expect(Array.from(cut)).toHaveLength(2_000);
    expect(cut).not.toMatch(/\p{Surrogate}/u);
  });

  it('replaces lone surrogates and keeps pairs', () => {
    expect(treat('a\uD800b\uDC00c😀')).toBe('a\uFFFDb\uFFFDc😀');
    expect(treat(' \uD800')).toBe('\uFFFD');
  });

  it('is redacted before it is cut, so that no part of a secret stays', () => {
    expect(treat(`${'x'.repeat(1_980)}a-very-secret-value`)).not.toContain('a-very');
    expect(treat('see a-very-secret-value')).toBe('see [redacted:API_TOKEN]');
  });

  describe('that relays a long question', () => {
    const numbers = Array.from({ length: 2_000 }, (_, at) => `${at + 1}`).join('\n');
    const relayed = (source: 'needs-input.md' | 'implementer-summary', text: string, before = 'Nothing was changed.'): string => `${before}\n${formatNeedsInput({ source, text })}`;
    const size = (text: string): number => Array.from(text).length;

    it('keeps the end of a message, where the question is, and says how much there was', () => {
      const long = `${'Words of the agent. '.repeat(9)}\n`.repeat(40);
      const cut = treat(relayed('implementer-summary', `${long}Which file?`)) ?? '';
      const { lines = [], truncated } = parseNeedsInput(cut) ?? {};
      expect([cut.split('\n')[0], lines.at(-1), size(cut) <= 2_000, cut.includes('(truncated)')]).toEqual(['Nothing was changed.', 'Which file?', true, false]);
      expect(truncated).toEqual({ keptBytes: Buffer.byteLength(lines.join('\n')), totalBytes: Buffer.byteLength(`${long}Which file?`.replaceAll(/ +$/gm, '')) });
    });

    it('keeps the beginning of a file, in whole lines', () => {
      const lines = parseNeedsInput(treat(relayed('needs-input.md', numbers)) ?? '')?.lines ?? [];
      expect([lines[0], lines]).toEqual(['1', Array.from({ length: lines.length }, (_, at) => `${at + 1}`)]);
      expect(lines.length).toBeGreaterThan(50);
    });

    it.each(['needs-input.md', 'implementer-summary'] as const)('cuts one endless line of %s between characters, and uses the room', (source) => {
      const [line = ''] = parseNeedsInput(treat(relayed(source, `a${'👍'.repeat(3_000)}z`, 'x'.repeat(1_200))) ?? '')?.lines ?? [];
      expect(line).toMatch(source === 'needs-input.md' ? /^a👍+$/u : /^👍+z$/u);
      const cut = treat(relayed(source, `a${'é'.repeat(1_990)}z`)) ?? '';
      expect(parseNeedsInput(cut)?.lines[0]).toMatch(source === 'needs-input.md' ? /^aé+$/u : /^é+z$/u);
      expect(size(cut)).toBe(2_000);
    });

    it('keeps the question whatever stands before it', () => {
      const cut = treat(relayed('needs-input.md', 'Which file?', 'x'.repeat(3_000))) ?? '';
      expect(parseNeedsInput(cut)).toEqual({ source: 'needs-input.md', lines: ['Which file?'] });
      expect(size(cut)).toBeLessThanOrEqual(2_000);
    });
  });

  it('folds to one line for messages', () => {
    expect(foldDetail('first\r\n\tsecond\u0007 third\u2028fourth')).toBe('first second third fourth');
  });
});
