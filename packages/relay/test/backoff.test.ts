import { expect, test } from 'vitest';
import { backoffMs } from '../src/backoff.js';

test('waits grow from two seconds to five minutes, a fifth more or less, and there is no last one', () => {
  expect([1, 2, 3, 7, 8, 9, 500].map((failures) => backoffMs(failures, () => 0.5))).toEqual([2_000, 4_000, 8_000, 128_000, 256_000, 300_000, 300_000]);
  expect([backoffMs(1, () => 0), backoffMs(1, () => 1)]).toEqual([1_600, 2_400]);
  // Never longer than that.
  expect([8, 9, 500].map((failures) => backoffMs(failures, () => 1))).toEqual([300_000, 300_000, 300_000]);
});
