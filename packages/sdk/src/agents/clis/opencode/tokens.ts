import { countOf, recordOf, type JsonRecord } from '../../driver/record.js';
import type { AgentUsage } from '../../port.js';

/** Tokens as opencode counts them, each in one place only, and what they cost. */
export interface Tokens {
  /** Without what came from the cache or went into it. */
  readonly input: number;
  /** Without reasoning. */
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly dollars: number;
  /** Tokens of which opencode does not know the price: it counts them as 0 dollars. */
  readonly unpriced: boolean;
}

export const noTokens: Tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, dollars: 0, unpriced: false };

/** Of a `step_finish`: `tokens: { input, output, reasoning, cache: { read, write } }`, `cost` in dollars. */
export function tokensOfStep(part: JsonRecord): Tokens {
  const tokens = recordOf(part['tokens']);
  const cache = recordOf(tokens['cache']);
  return counted({
    input: countOf(tokens['input']) ?? 0,
    output: countOf(tokens['output']) ?? 0,
    reasoning: countOf(tokens['reasoning']) ?? 0,
    cacheRead: countOf(cache['read']) ?? 0,
    cacheWrite: countOf(cache['write']) ?? 0,
    dollars: countOf(part['cost']) ?? 0,
  });
}

/** Of a row of its table of sessions. */
export function tokensOfRow(row: JsonRecord): Tokens {
  const count = (name: string): number => countOf(row[name]) ?? 0;
  return counted({
    input: count('tokens_input'), output: count('tokens_output'), reasoning: count('tokens_reasoning'),
    cacheRead: count('tokens_cache_read'), cacheWrite: count('tokens_cache_write'), dollars: count('cost'),
  });
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input, output: a.output + b.output, reasoning: a.reasoning + b.reasoning,
    cacheRead: a.cacheRead + b.cacheRead, cacheWrite: a.cacheWrite + b.cacheWrite,
    dollars: a.dollars + b.dollars, unpriced: a.unpriced || b.unpriced,
  };
}

/** No cost is stated where a part of it is unknown. A model that is free is not told from one without a price, so it counts as unknown too. */
export function usageOf(tokens: Tokens): AgentUsage {
  return {
    inputTokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
    outputTokens: tokens.output + tokens.reasoning,
    cachedInputTokens: tokens.cacheRead,
    ...(tokens.unpriced ? {} : { microDollars: Math.round(tokens.dollars * 1e6) }),
  };
}

function counted(tokens: Omit<Tokens, 'unpriced'>): Tokens {
  const some = tokens.input + tokens.output + tokens.reasoning + tokens.cacheRead + tokens.cacheWrite > 0;
  return { ...tokens, unpriced: some && tokens.dollars === 0 };
}
