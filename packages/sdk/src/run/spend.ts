/** What steps have cost. Summed over steps: three agents in parallel charge their wall clock three times. */
export interface Spend {
  /** Milliseconds. */
  readonly wallclock: number;
  /** Input plus output tokens. */
  readonly tokens: number;
  /** Whole micro-dollars: $1 is 1,000,000. */
  readonly microDollars: number;
  /** True when a model without a known price was used, so `microDollars` is a lower bound. */
  readonly unmetered?: boolean;
}

export const NOTHING_SPENT: Spend = { wallclock: 0, tokens: 0, microDollars: 0 };

export function addSpend(a: Spend, b: Spend | undefined): Spend {
  if (b === undefined) return a;
  return {
    wallclock: a.wallclock + b.wallclock,
    tokens: a.tokens + b.tokens,
    microDollars: a.microDollars + b.microDollars,
    ...(a.unmetered === true || b.unmetered === true ? { unmetered: true } : {}),
  };
}
