import { describe, expect, test } from 'vitest';
import { charge } from '../../src/agents/charge.js';
import { PRICE_TABLE } from '../../src/agents/price-table.js';
import { listPriceOf } from '../../src/agents/prices.js';

describe('the price table', () => {
  test('says where it comes from and how old it is', () => {
    expect(PRICE_TABLE.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(PRICE_TABLE.source).toContain(' on npm');
  });

  test('holds prices that can be charged', () => {
    expect(Object.keys(PRICE_TABLE.models).length).toBeGreaterThan(50);
    for (const [model, { input, output, cachedInput = input }] of Object.entries(PRICE_TABLE.models)) {
      expect(model).toMatch(/^\S+$/);
      expect(input).toBeGreaterThan(0);
      expect(output).toBeGreaterThan(0);
      expect(cachedInput).toBeGreaterThan(0);
      expect(cachedInput).toBeLessThanOrEqual(input);
      // Micro-dollars for a token, so dollars for a million: a table in dollars for a thousand would be far off.
      expect(output).toBeLessThan(1_000);
    }
  });

  test('knows a model by its exact name only', () => {
    expect(listPriceOf('gpt-5')).toEqual({ input: 1.25, output: 10, cachedInput: 0.125 });
    expect(listPriceOf('gpt-5 ')).toBeUndefined();
    expect(listPriceOf('GPT-5')).toBeUndefined();
    expect(listPriceOf('toString')).toBeUndefined();
  });
});

describe('what a turn costs', () => {
  const price = { input: 10, output: 40, cachedInput: 1 };
  test.each([
    ['what came from the cache has its own price', { inputTokens: 1_000, outputTokens: 10, cachedInputTokens: 900 }, price, { tokens: 1_010, microDollars: 100 * 10 + 900 + 10 * 40 }],
    ['without a price for the cache it costs as the rest', { inputTokens: 1_000, outputTokens: 0, cachedInputTokens: 900 }, { input: 10, output: 40 }, { tokens: 1_000, microDollars: 10_000 }],
    ['more cached than read is as much as read', { inputTokens: 5, outputTokens: 0, cachedInputTokens: 900 }, price, { tokens: 5, microDollars: 5 }],
    ['a fraction of a micro-dollar is a whole one', { inputTokens: 1, outputTokens: 0 }, { input: 0.1, output: 1 }, { tokens: 1, microDollars: 1 }],
    ['what the CLI states counts', { inputTokens: 1_000, outputTokens: 10, microDollars: 7 }, price, { tokens: 1_010, microDollars: 7 }],
    ['an unknown price is unmetered', { inputTokens: 3, outputTokens: 4 }, undefined, { tokens: 7, microDollars: 0, unmetered: true }],
    ['an unknown usage is unmetered', undefined, price, { tokens: 0, microDollars: 0, unmetered: true }],
  ])('%s', (_name, usage, of, spend) => {
    expect(charge({ usage, price: of })).toEqual(spend);
  });
});
