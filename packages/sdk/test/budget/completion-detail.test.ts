import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redactor.js';
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

  it('folds to one line for messages', () => {
    expect(foldDetail('first\r\n\tsecond\u0007 third\u2028fourth')).toBe('first second third fourth');
  });
});
