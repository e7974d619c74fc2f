import { afterEach, describe, expect, test, vi } from 'vitest';
import { resetTime } from '../../../src/agents/driver/reset-time.js';

const at = (moment: string): number => Date.parse(moment);
const read = (text: string, now: string): string | undefined => {
  const reset = resetTime(text, at(now));
  return reset === undefined ? undefined : new Date(reset).toISOString();
};

afterEach(() => vi.unstubAllEnvs());

const NOW = '2026-11-30T20:00:30.000Z';

test.each([
  // claude
  ['Claude AI usage limit reached|1796130000', '2026-12-01T13:00:00.000Z'],
  ["You've hit your 5-hour limit · resets 1pm (UTC)", '2026-12-01T13:00:00.000Z'],
  ["You've hit your limit · resets 3pm (Europe/Berlin)", '2026-12-01T14:00:00.000Z'],
  ["You've hit your limit · resets 11:30pm (UTC)", '2026-11-30T23:30:00.000Z'],
  ["You've hit your limit · resets 12am (UTC)", '2026-12-01T00:00:00.000Z'],
  ["You've hit your limit · resets 12:30pm (UTC)", '2026-12-01T12:30:00.000Z'],
  ["You've hit your weekly limit · resets Dec 4 at 9am (UTC)", '2026-12-04T09:00:00.000Z'],
  ["You've hit your weekly limit · resets Dec 4, 9:15am (America/New_York)", '2026-12-04T14:15:00.000Z'],
  ['Weekly limit reached ∙ resets Jan 2 at 9am (UTC)', '2027-01-02T09:00:00.000Z'],
  ['Weekly limit reached ∙ resets Thu at 9am (UTC)', '2026-12-03T09:00:00.000Z'],
  ['Weekly limit reached ∙ resets Monday at 9am (UTC)', '2026-12-07T09:00:00.000Z'],
  ['Weekly limit reached ∙ resets Monday at 9pm (UTC)', '2026-11-30T21:00:00.000Z'],
  // codex
  ["You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", '2026-12-04T00:05:30.000Z'],
  ['Please try again in 1.5s.', '2026-11-30T20:00:31.500Z'],
  // gemini
  ['Your quota will reset after 2h13m5s.', '2026-11-30T22:13:35.000Z'],
  ['Please retry in 34.07s.', '2026-11-30T20:01:04.070Z'],
  ['"retryDelay": "34s"', '2026-11-30T20:01:04.000Z'],
  ['Access resets at 7:10 PM PDT.', '2026-12-01T03:10:00.000Z'],
  ['Suggested retry after 7985s.', '2026-11-30T22:13:35.000Z'],
  // others
  ['Rate limited: retry in 5 minutes', '2026-11-30T20:05:30.000Z'],
  ['Try again in ~42 min.', '2026-11-30T20:42:30.000Z'],
  ['Please wait for another 1 hour and 30 minutes', '2026-11-30T21:30:30.000Z'],
  ['try again in 250ms', '2026-11-30T20:00:30.250Z'],
  ['Retry-After: 30', '2026-11-30T20:01:00.000Z'],
  ['limit resets at 2026-12-01T15:00:00Z', '2026-12-01T15:00:00.000Z'],
  ['limit resets at 2026-12-01T15:00:00+02:00', '2026-12-01T13:00:00.000Z'],
  ['available again at 15:30 UTC', '2026-12-01T15:30:00.000Z'],
])('%s', (text, expected) => {
  expect(read(text, NOW)).toBe(expected);
});

test.each([
  ['nothing', 'API Error: Request rejected (429) · Slow down.'],
  ['a duration that is no wait', 'You may use 5 hours in 3 days for 7 days.'],
  ['a number that is no time', 'resets 3 of your limits'],
  ['an hour that no clock shows', 'resets 25:00 (UTC)'],
  ['a zone that nobody knows', 'resets 3pm (Mars/Olympus)'],
  ['a short name that could be any zone', 'resets 3pm JST'],
  ['a moment that is over', 'limit resets at 2026-11-30T19:00:00Z'],
  ['a stamp that is over', 'Claude AI usage limit reached|1749924000'],
  ['no wait at all', 'retry in 0s'],
])('%s gives no time', (_what, text) => {
  expect(read(text, NOW)).toBeUndefined();
});

test('a limit of some hours before the time of day is not taken for the wait', () => {
  expect(read('Your limit for 5 hours is reached · resets 3pm (UTC)', NOW)).toBe('2026-12-01T15:00:00.000Z');
});

describe('a time of day', () => {
  test('of this very minute is its end, not tomorrow', () => {
    expect(read('resets 8pm (UTC)', NOW)).toBe('2026-11-30T20:01:00.000Z');
    expect(read('resets 8pm (UTC)', '2026-11-30T20:00:00.000Z')).toBe('2026-11-30T20:01:00.000Z');
  });

  test('that has just passed is tomorrow', () => {
    expect(read('resets 8pm (UTC)', '2026-11-30T20:01:00.000Z')).toBe('2026-12-01T20:00:00.000Z');
  });

  test('is that of the zone on the day it falls on: clocks may change in between', () => {
    // Berlin: on 28 March 2027 from +01:00 to +02:00, on 25 October 2026 back.
    expect(read('resets 9am (Europe/Berlin)', '2027-03-27T22:00:00.000Z')).toBe('2027-03-28T07:00:00.000Z');
    expect(read('resets 9am (Europe/Berlin)', '2026-10-24T20:00:00.000Z')).toBe('2026-10-25T08:00:00.000Z');
    // A time that the clocks skip is the one after the gap.
    expect(read('resets 2:30am (Europe/Berlin)', '2027-03-27T22:00:00.000Z')).toBe('2027-03-28T01:30:00.000Z');
  });

  test('without a zone is that of this machine', () => {
    vi.stubEnv('TZ', 'Asia/Kolkata');
    expect(read('resets 9:30am', NOW)).toBe('2026-12-01T04:00:00.000Z');
    expect(read('or try again at Dec 3rd, 2026 7:54 PM.', NOW)).toBe('2026-12-03T14:24:00.000Z');
  });

  test('falls on the day of its zone', () => {
    // In Tokyo it is the first of December already.
    expect(read('resets 9am (Asia/Tokyo)', NOW)).toBe('2026-12-01T00:00:00.000Z');
    expect(read('resets Dec 1 at 6am (Asia/Tokyo)', NOW)).toBe('2026-11-30T21:00:00.000Z');
  });
});
