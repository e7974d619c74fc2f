import type { FlowHeader } from '@relayflows/surface';
import { FlowsError } from '../errors/flows-error.js';
import { formatDuration, parseDuration } from './duration.js';
import type { Spend } from './spend.js';

/** What a run may spend. A limit that is absent does not exist; at least one is there. */
export interface Budget {
  /** Input plus output tokens of the run. */
  readonly tokens?: number;
  /** Whole micro-dollars of the run. */
  readonly microDollars?: number;
  /** Milliseconds, summed over the steps of the run. */
  readonly wallclock?: number;
  /** Whole micro-dollars of all runs of the flow in one UTC day. */
  readonly dayMicroDollars?: number;
}

/** A limit that was crossed, and a message that says by how much. */
export interface CrossedLimit {
  readonly limit: keyof Budget;
  readonly message: string;
}

const HINT = 'Write "$5/run" or "$20.50/day", or an object such as { dollars: 5, tokens: 2_000_000, wallclock: "2h" }.';

/**
 * The budget of a header: `"$<amount>/run"` or `"$<amount>/day"` with at most six decimals, or an object with at least one of `tokens`, `dollars`
 * and `wallclock` (`<int>(ms|s|m|h|d)`). Throws `budget_syntax_invalid`.
 */
export function parseBudget(budget: NonNullable<FlowHeader['budget']>): Budget {
  if (typeof budget === 'string') return parseRate(budget);
  if (typeof budget !== 'object' || budget === null || Array.isArray(budget)) throw invalid('The budget is neither a text nor an object.');
  const limits = Object.entries(budget).filter(([, value]) => value !== undefined);
  const unknown = limits.map(([key]) => key).filter((key) => key !== 'tokens' && key !== 'dollars' && key !== 'wallclock');
  if (unknown.length > 0) throw invalid(`The budget has the unknown limit ${JSON.stringify(unknown[0])}.`);
  if (limits.length === 0) throw invalid('The budget sets no limit.');
  const { tokens, dollars, wallclock } = budget;
  return {
    ...(tokens === undefined ? {} : { tokens: parseTokens(tokens) }),
    ...(dollars === undefined ? {} : { microDollars: parseDollars(dollars) }),
    ...(wallclock === undefined ? {} : { wallclock: parseWallclock(wallclock) }),
  };
}

function parseRate(text: string): Budget {
  const match = /^\$(\d{1,9})(?:\.(\d{1,6}))?\/(run|day)$/.exec(text);
  if (match === null) throw invalid(`The budget ${JSON.stringify(text.slice(0, 60))} cannot be read.`);
  const [, whole = '', decimals = '', period] = match;
  const microDollars = Number(whole) * 1_000_000 + Number(decimals.padEnd(6, '0'));
  return period === 'run' ? { microDollars } : { dayMicroDollars: microDollars };
}

function parseTokens(tokens: unknown): number {
  if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) throw invalid('The limit of tokens in the budget is not a whole number, 0 or more.');
  return tokens as number;
}

function parseDollars(dollars: unknown): number {
  const microDollars = typeof dollars === 'number' ? Math.round(dollars * 1_000_000) : Number.NaN;
  if (!Number.isSafeInteger(microDollars) || microDollars < 0 || Number((dollars as number).toFixed(6)) !== dollars) {
    throw invalid('The limit of dollars in the budget is not a number, 0 or more, with at most six decimals.');
  }
  return microDollars;
}

function parseWallclock(wallclock: unknown): number {
  if (typeof wallclock !== 'string' || !/^\d+(?:ms|s|m|h|d)$/.test(wallclock)) throw invalid('The limit of wallclock in the budget is not a text such as "90s", "30m" or "2h".');
  return parseDuration(wallclock, { what: 'the limit of wallclock in the budget', code: 'budget_syntax_invalid' });
}

function invalid(text: string): FlowsError {
  return new FlowsError('budget_syntax_invalid', text, { hint: HINT });
}

/**
 * The limits that were crossed, so that no further attempt may start; empty when one may. Being exactly at a limit crosses nothing.
 *
 * `dayMicroDollars` is what all runs of the flow were charged on this UTC day, this run included.
 */
export function checkBudget(args: { readonly budget: Budget; readonly spent: Spend; readonly dayMicroDollars: number }): readonly CrossedLimit[] {
  const { budget, spent, dayMicroDollars } = args;
  const checks: readonly [limit: keyof Budget, spent: number, of: string, format: (amount: number) => string][] = [
    ['tokens', spent.tokens, 'tokens a run', (amount) => amount.toLocaleString('en-US')],
    ['microDollars', spent.microDollars, 'a run', formatDollars],
    ['dayMicroDollars', dayMicroDollars, 'a day', formatDollars],
    ['wallclock', spent.wallclock, 'of wallclock a run', formatDuration],
  ];
  return checks.flatMap(([limit, amount, of, format]) => {
    const allowed = budget[limit];
    if (allowed === undefined || amount <= allowed) return [];
    return [{ limit, message: `the limit of ${format(allowed)} ${of} is crossed by ${format(amount - allowed)}` }];
  });
}

/** Micro-dollars as people write money: at least two decimals, and as many of six as the amount has. */
export function formatDollars(microDollars: number): string {
  const text = (microDollars / 1_000_000).toFixed(6).replace(/0{1,4}$/, '');
  const [whole = '0', decimals] = text.split('.');
  return `$${Number(whole).toLocaleString('en-US')}.${decimals}`;
}
