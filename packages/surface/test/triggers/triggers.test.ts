import { describe, expect, it } from 'vitest';
import { github, schedule, slack, webhook } from '../../src/index.js';

describe('webhook', () => {
  it('is frozen data', () => {
    const filter = { action: 'opened', repository: { private: false }, labels: ['bug'] };
    const source = webhook('ticket_opened-2', filter);
    filter.labels.push('late');
    expect(source).toEqual({ kind: 'webhook', name: 'ticket_opened-2', filter: { action: 'opened', repository: { private: false }, labels: ['bug'] } });
    expect(Object.isFrozen(source)).toBe(true);
    expect(() => (source as unknown as { filter: { labels: string[] } }).filter.labels.push('x')).toThrow(TypeError);
  });

  it.each(['', '-a', '_a', 'a b', 'a/b', 'ä', 'a'.repeat(129)])('refuses the name %j', (name) => {
    expect(() => webhook(name)).toThrow(TypeError);
  });

  it('takes a name of 128 characters', () => {
    expect(webhook('a'.repeat(128))).toMatchObject({ kind: 'webhook' });
  });

  it.each([
    ['NaN', { n: Number.NaN }, 'filter.n must be a finite number'],
    ['infinity in a list', { list: [1, Infinity] }, 'filter.list.1 must be a finite number'],
    ['a function', { f: () => 1 }, 'filter.f must be plain data'],
    ['a date', { at: new Date() }, 'filter.at must be a plain object'],
    ['a list', [], 'the filter must be an object'],
    ['null', null, 'the filter must be an object'],
  ])('refuses %s in the filter', (_, filter, message) => {
    expect(() => webhook('x', filter as never)).toThrow(message);
  });
});

describe('schedule.cron', () => {
  it.each(['* * * * *', '*/5 0-6 1,15 * mon-fri', '0 9 * JAN,jul SUN', '59 23 31 12 7', '0-30/10 * * * *', '  0   4 * * * '])('takes %j', (expr) => {
    expect(schedule.cron(expr)).toMatchObject({ kind: 'cron', tz: 'UTC', expression: expr.trim().replace(/\s+/g, ' ') });
  });

  it.each([
    ['* * * *', 'needs five fields'],
    ['', 'needs five fields (minute, hour, day of month, month, day of week), got 0'],
    ['* * * * * *', 'got 6'],
    ['60 * * * *', '"60" is not a minute'],
    ['* 24 * * *', 'is not a hour'],
    ['* * 0 * *', 'is not a day of month'],
    ['* * * 13 *', 'is not a month'],
    ['* * * * 8', 'is not a day of week'],
    ['* * * * someday', 'is not a day of week'],
    ['30-10 * * * *', 'is not a minute'],
    ['*/0 * * * *', 'is not a minute'],
    ['1-2-3 * * * *', 'is not a minute'],
    ['1,,2 * * * *', 'is not a minute'],
    ['-5 * * * *', 'is not a minute'],
    ['mon * * * *', 'is not a minute'],
  ])('refuses %j', (expr, message) => {
    expect(() => schedule.cron(expr)).toThrow(TypeError);
    expect(() => schedule.cron(expr)).toThrow(message);
  });

  it('takes an IANA zone and refuses others', () => {
    expect(schedule.cron('0 9 * * *', { tz: 'Europe/Berlin' })).toMatchObject({ tz: 'Europe/Berlin' });
    expect(() => schedule.cron('0 9 * * *', { tz: 'Mars/Olympus' })).toThrow('is not a time zone');
    expect(() => schedule.cron('0 9 * * *', { tz: '' })).toThrow('is not a time zone');
  });
});

describe('schedule.every', () => {
  it.each([['1s', 1_000], ['90m', 5_400_000], ['2h', 7_200_000], ['7d', 604_800_000]])('takes %s', (interval, milliseconds) => {
    expect(schedule.every(interval)).toEqual({ kind: 'interval', interval, milliseconds });
  });

  it.each(['0s', '500ms', '1.5h', '-1h', 'h', '1', '1 h', '', '9'.repeat(20) + 'd'])('refuses %j', (interval) => {
    expect(() => schedule.every(interval)).toThrow(TypeError);
  });
});

describe('providers', () => {
  it('give events as data', () => {
    expect(github.event('issues.opened', { repository: { full_name: 'a/b' } })).toEqual({
      kind: 'provider', provider: 'github', event: 'issues.opened', filter: { repository: { full_name: 'a/b' } },
    });
    expect(slack.event('app_mention')).toEqual({ kind: 'provider', provider: 'slack', event: 'app_mention' });
  });

  it('refuse a blank event', () => {
    expect(() => github.event(' ')).toThrow(TypeError);
  });
});
