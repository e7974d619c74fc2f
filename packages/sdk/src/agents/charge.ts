import type { Spend } from '../run/spend.js';
import type { AgentUsage } from './port.js';

/** Micro-dollars per token, which is dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of input that comes from the provider's cache. Default: `input`. */
  readonly cachedInput?: number;
}

/** The price of a model; `undefined` when it is not known. */
export type PriceOf = (model: string) => ModelPrice | undefined;

/** What a turn costs, without its wall clock. Money that cannot be known is marked `unmetered`. Pure. */
export function charge(turn: { readonly usage: AgentUsage | undefined; readonly price: ModelPrice | undefined }): Omit<Spend, 'wallclock'> {
  const { usage, price } = turn;
  const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
  if (usage?.microDollars !== undefined) return { tokens, microDollars: Math.ceil(usage.microDollars) };
  if (usage === undefined || price === undefined) return { tokens, microDollars: 0, unmetered: true };
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const microDollars = (usage.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input) + usage.outputTokens * price.output;
  return { tokens, microDollars: Math.ceil(microDollars) };
}
