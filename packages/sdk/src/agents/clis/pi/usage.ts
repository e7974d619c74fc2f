import { countOf, recordOf, type JsonRecord } from '../../driver/record.js';
import type { AgentUsage } from '../../port.js';

export interface Spent {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Absent once something had no price. */
  readonly dollars: number | undefined;
}

/**
 * Adds what a message used. `input` leaves out what was read from and written to the provider's cache. The dollars are counted by pi with the prices
 * it has for a model, and with 0 for a model without: then nobody knows what was paid. Pure.
 */
export function spendMore(before: Spent | undefined, usage: JsonRecord): Spent | undefined {
  const count = (name: string): number => countOf(usage[name]) ?? 0;
  const input = count('input') + count('cacheRead') + count('cacheWrite');
  if (input + count('output') === 0) return before;
  const cost = countOf(recordOf(usage['cost'])['total']);
  const sum = before ?? { input: 0, cached: 0, output: 0, dollars: 0 };
  const dollars = cost === undefined || cost === 0 || sum.dollars === undefined ? undefined : sum.dollars + cost;
  return { input: sum.input + input, cached: sum.cached + count('cacheRead'), output: sum.output + count('output'), dollars };
}

export function usageOf({ input, cached, output, dollars }: Spent): AgentUsage {
  return { inputTokens: input, outputTokens: output, cachedInputTokens: cached, ...(dollars === undefined ? {} : { microDollars: Math.round(dollars * 1e6) }) };
}
