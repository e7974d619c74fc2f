import { expect, test } from 'vitest';
import { ago, counted, duration, moment, money, ticking, tokens, tokensUsed } from '../../src/text/quantities.js';

test.each([
  [0, '0ms'],
  [-5, '0ms'],
  [850.4, '850ms'],
  [1_000, '1.0s'],
  [59_949, '59.9s'],
  [59_950, '1m00s'],
  [125_000, '2m05s'],
  [3_599_400, '59m59s'],
  [3_840_000, '1h04m'],
  [183_600_000, '2d03h'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, '0s'],
  [59_999, '59s'],
  [60_999, '1m00s'],
])('%d ms tick as %s', (ms, text) => {
  expect(ticking(ms)).toBe(text);
});

test.each([
  [0, undefined, ''],
  [0, true, 'price unknown'],
  [1, undefined, '<$0.01'],
  [40_000, undefined, '$0.04'],
  [12_504_000, undefined, '$12.50'],
  [12_504_000, true, '$12.50+'],
])('%d micro-dollars (unmetered: %s) are %s', (microDollars, unmetered, text) => {
  expect(money({ microDollars, ...(unmetered === undefined ? {} : { unmetered }) })).toBe(text);
});

test.each([
  [950, '950'],
  [12_340, '12.3k'],
  [999_950, '1.0M'],
])('%d tokens are %s', (count, text) => {
  expect(tokens(count)).toBe(text);
});

test('a count agrees with its noun', () => {
  expect([counted(0, 'step'), counted(1, 'step'), counted(2, 'step')]).toEqual(['0 steps', '1 step', '2 steps']);
});

test('ages', () => {
  expect([1_000, 30_000, 300_000, 7_200_000, 200_000_000].map(ago)).toEqual(['just now', '30s ago', '5m ago', '2h ago', '2d ago']);
});

test('a moment has its date unless it is today', () => {
  const noon = new Date(2031, 3, 1, 12, 0, 0).getTime();
  expect(moment(noon, noon + 60_000)).toBe('12:00:00');
  expect(moment(noon, noon + 2 * 86_400_000)).toBe('2031-04-01 12:00:00');
});

test.each([
  [undefined, ''],
  [0, ''],
  [1, '1 token'],
  [12_300, '12.3k tokens'],
])('%s tokens are shown as %j', (count, text) => {
  expect(tokensUsed(count === undefined ? undefined : { tokens: count })).toBe(text);
});
