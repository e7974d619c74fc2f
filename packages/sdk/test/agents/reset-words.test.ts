import { expect, it } from 'vitest';
import { resetWords } from '../../src/agents/reset-words.js';
import { ended } from '../../src/agents/sentence.js';

const now = Date.UTC(2026, 10, 30, 12, 0);

it.each([
  [60_000, 'The limit resets at 2026-11-30 12:01 UTC, in 1 min.'],
  [1, 'The limit resets at 2026-11-30 12:00 UTC, in 1 min.'],
  [3_600_000, 'The limit resets at 2026-11-30 13:00 UTC, in 1 h.'],
  [12_000_000, 'The limit resets at 2026-11-30 15:20 UTC, in 3 h 20 min.'],
  [3 * 86_400_000 + 4 * 3_600_000, 'The limit resets at 2026-12-03 16:00 UTC, in 3 d 4 h.'],
  [-60_000, 'The limit was to reset at 2026-11-30 11:59 UTC.'],
  [Number.NaN, ''],
])('%d ms from now: %s', (later, words) => expect(resetWords(now + later, now)).toBe(words));

it.each([['a', 'a.'], ['a.', 'a.'], ['a?\n', 'a?'], ['say "a."', 'say "a."'], ['', '.']])('%j ends as %j', (text, sentence) => expect(ended(text)).toBe(sentence));
