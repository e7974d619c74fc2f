import { describe, expect, it } from 'vitest';
import { isFlowsError } from '../../src/errors/flows-error.js';
import { AGENT_TIMEOUT_MAX, formatDuration, parseDuration, RUN_TIMEOUT_DEFAULT, RUN_TIMEOUT_MAX } from '../../src/run/duration.js';

const rules = { what: 'the timeout of f.run', max: RUN_TIMEOUT_MAX };

function refusal(act: () => unknown): { code: string; text: string } {
  try {
    act();
  } catch (error) {
    if (isFlowsError(error)) return { code: error.code, text: error.text };
    throw error;
  }
  throw new Error('was accepted');
}

describe('parseDuration', () => {
  it.each<[string | number, number]>([
    [1, 1], [900_000, 900_000], ['1ms', 1], ['90s', 90_000], ['15m', 900_000], ['2h', 7_200_000], ['1d', 86_400_000],
    ['1.5s', 1_500], ['0.001s', 1], ['0.1s', 100], ['2.50m', 150_000], ['1.0ms', 1], ['007s', 7_000], [86_400_000, 86_400_000],
  ])('reads %j as %d ms', (value, ms) => {
    expect(parseDuration(value, rules)).toBe(ms);
  });

  it.each<string | number>([
    0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '', '0s', '0.0ms', '1', '1.5ms', '0.0001s', '1 s', ' 1s', '1s ', '1S', '-1s', '+1s', '.5s', '1.s',
    '1e3ms', '1w', '1h30m', '١s', 'ms', `${'9'.repeat(30)}d`, `1${'0'.repeat(100_000)}s`,
  ])('refuses %j as timeout_invalid', (value) => {
    expect(refusal(() => parseDuration(value, rules)).code).toBe('timeout_invalid');
  });

  it.each([null, undefined, true, {}, [], 10n, Symbol('s')])('refuses a value of another type: %s', (value) => {
    expect(refusal(() => parseDuration(value as never, rules)).code).toBe('timeout_invalid');
  });

  it('refuses a duration over the maximum with its own code, and accepts the maximum', () => {
    expect(parseDuration('24h', rules)).toBe(AGENT_TIMEOUT_MAX);
    expect(refusal(() => parseDuration(86_400_001, rules))).toEqual({
      code: 'lease_exceeded',
      text: 'The timeout of f.run is 86400001, longer than the 1d allowed.',
    });
    expect(refusal(() => parseDuration('25h', { ...rules, code: 'options_invalid' })).code).toBe('options_invalid');
    expect(refusal(() => parseDuration('soon', { ...rules, code: 'budget_syntax_invalid' })).code).toBe('budget_syntax_invalid');
  });

  it('honours a minimum', () => {
    expect(parseDuration(0, { what: 'the back-off', min: 0 })).toBe(0);
    expect(refusal(() => parseDuration('999ms', { what: 'the interval', min: 1_000 })).text).toBe('The interval is "999ms", and must be at least 1s.');
    expect(refusal(() => parseDuration(-5, { what: 'the back-off', min: 0 })).code).toBe('timeout_invalid');
  });

  it('has a default of 15 minutes for commands', () => {
    expect(RUN_TIMEOUT_DEFAULT).toBe(15 * 60_000);
  });
});

describe('formatDuration', () => {
  it.each<[number, string]>([
    [0, '0ms'], [-3, '0ms'], [Number.NaN, '0ms'], [0.2, '1ms'], [850, '850ms'], [999, '999ms'], [999.6, '1s'], [1_000, '1s'], [1_540, '1.5s'], [9_949, '9.9s'], [9_960, '10s'],
    [42_400, '42s'], [59_600, '1m'], [60_000, '1m'], [200_000, '3m 20s'], [3_599_600, '1h'], [3_900_000, '1h 5m'], [86_399_000, '1d'],
    [86_400_000, '1d'], [183_600_000, '2d 3h'],
  ])('writes %d as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
