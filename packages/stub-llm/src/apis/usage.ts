import type { Usage } from '../scenario/scenario.js';

/** What a turn costs that says nothing about it. */
export function usageOf(given: Partial<Usage> = {}): Usage {
  return { input: 100, output: 20, cache_read: 0, cache_write: 0, reasoning: 0, ...given };
}

/** OpenAI and Gemini count tokens from a cache among those of the prompt; Anthropic counts them apart. */
export function promptTokens(usage: Usage): number {
  return usage.input + usage.cache_read + usage.cache_write;
}
