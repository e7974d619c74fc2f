import { expect, test } from 'vitest';
import { Quotes } from '../../../src/agents/driver/quotes.js';

const asIs = (text: string): string => text;

test('keeps the order, and what is no record apart', () => {
  const quotes = new Quotes();
  quotes.add('{"a":1}', true);
  quotes.add('plain', false);
  quotes.add('', false);
  quotes.add('{"b":2}', true);
  expect(quotes.all(asIs)).toBe('{"a":1}\nplain\n{"b":2}');
  expect(quotes.plain(asIs)).toBe('plain');
});

test('keeps both ends of a long line', () => {
  const quotes = new Quotes();
  quotes.add(`begin${'x'.repeat(20_000_000)}end`, true);
  expect(quotes.all(asIs)).toMatch(/^beginx+ \[… \d+ characters …\] x+end$/);
  expect(quotes.all(asIs).length).toBeLessThanOrEqual(1_000);
});

test('takes secrets out before it cuts, also those that go over many lines', () => {
  const quotes = new Quotes();
  const secret = 'BEGIN\nKEY\nEND';
  for (const line of ['before', ...secret.split('\n'), `${'x'.repeat(470)}TOKEN-TOKEN-TOKEN${'x'.repeat(900)}`]) quotes.add(line, false);
  const said = quotes.all((text) => text.replace(secret, '***').replace('TOKEN-TOKEN-TOKEN', '***'));
  expect(said).toMatch(/^before\n\*\*\*\nx/);
  expect(said).not.toMatch(/TOKEN|KEY/);
});

test('remembers no more than it must', () => {
  const quotes = new Quotes();
  for (let n = 0; n < 1_000; n += 1) quotes.add(`${n} ${'x'.repeat(900)}`, true);
  expect(quotes.all(asIs).length).toBeLessThanOrEqual(4_096);
  expect(quotes.all(asIs)).toContain('999 x');
});
