import { describe, expect, it } from 'vitest';
import { isFlowsError } from '../../src/errors/flows-error.js';
import { checkBudget, formatDollars, parseBudget, type Budget } from '../../src/run/budget.js';
import { NOTHING_SPENT } from '../../src/run/spend.js';

describe('parseBudget', () => {
  it.each<[Parameters<typeof parseBudget>[0], Budget]>([
    ['$5/run', { microDollars: 5_000_000 }],
    ['$0.000001/run', { microDollars: 1 }],
    ['$12.5/day', { dayMicroDollars: 12_500_000 }],
    ['$999999999.999999/day', { dayMicroDollars: 999_999_999_999_999 }],
    [{ tokens: 1_000 }, { tokens: 1_000 }],
    [{ dollars: 0.1 }, { microDollars: 100_000 }],
    [{ dollars: 0 }, { microDollars: 0 }],
    [{ dollars: 1.123456 }, { microDollars: 1_123_456 }],
    [{ wallclock: '90m' }, { wallclock: 5_400_000 }],
    [{ tokens: 1, dollars: 2, wallclock: '1d' }, { tokens: 1, microDollars: 2_000_000, wallclock: 86_400_000 }],
  ])('reads %j', (budget, expected) => {
    expect(parseBudget(budget)).toEqual(expected);
  });

  it.each<unknown>([
    '', '$', '5/run', '$5', '$5/week', '$5/Run', '$-5/run', '$5.1234567/run', '$.5/run', '$5./run', '$1e3/run', ' $5/run', '$5/run ', '€5/run', `$${'9'.repeat(400)}/run`,
    {}, { tokens: undefined }, { tokens: -1 }, { tokens: 1.5 }, { tokens: '5' }, { tokens: Number.NaN }, { tokens: Number.POSITIVE_INFINITY },
    { dollars: -1 }, { dollars: 0.1234567 }, { dollars: 0.1 + 0.2 }, { dollars: '1' }, { dollars: 1e300 }, { dollars: 1e-9 }, { dollars: Number.NaN },
    { wallclock: 5 }, { wallclock: '1.5h' }, { wallclock: '0s' }, { wallclock: '5' }, { wallclock: '' }, { wallclock: `${'9'.repeat(30)}d` },
    { tokens: 5, limit: 1 }, [], [5], null, 5, true,
  ])('refuses %j', (budget) => {
    expect(() => parseBudget(budget as never)).toThrow(expect.objectContaining({ code: 'budget_syntax_invalid', exitCode: 2 }));
    try {
      parseBudget(budget as never);
    } catch (error) {
      expect(isFlowsError(error) && error.hint).toMatch(/^(Write|Give) /);
    }
  });
});

describe('checkBudget', () => {
  const budget: Budget = { tokens: 100, microDollars: 1_000_000, wallclock: 3_600_000, dayMicroDollars: 2_000_000 };

  it('lets an attempt start at exactly every limit', () => {
    expect(checkBudget({ budget, spent: { tokens: 100, microDollars: 1_000_000, wallclock: 3_600_000 }, dayMicroDollars: 2_000_000 })).toEqual([]);
    expect(checkBudget({ budget, spent: NOTHING_SPENT, dayMicroDollars: 0 })).toEqual([]);
  });

  it('names every crossed limit and by how much', () => {
    expect(checkBudget({ budget, spent: { tokens: 12_101, microDollars: 1_000_001, wallclock: 3_600_250 }, dayMicroDollars: 3_500_000 })).toEqual([
      { limit: 'tokens', message: 'the limit of 100 tokens a run is crossed by 12,001' },
      { limit: 'microDollars', message: 'the limit of $1.00 a run is crossed by $0.000001' },
      { limit: 'dayMicroDollars', message: 'the limit of $2.00 a day is crossed by $1.50' },
      { limit: 'wallclock', message: 'the limit of 1h of wallclock a run is crossed by 250ms' },
    ]);
  });

  it('looks only at limits that are set', () => {
    expect(checkBudget({ budget: { tokens: 5 }, spent: { tokens: 5, microDollars: 9, wallclock: 9 }, dayMicroDollars: 9 })).toEqual([]);
    expect(checkBudget({ budget: { dayMicroDollars: 0 }, spent: NOTHING_SPENT, dayMicroDollars: 1 }).map(({ limit }) => limit)).toEqual(['dayMicroDollars']);
  });
});

describe('formatDollars', () => {
  it.each([[0, '$0.00'], [1, '$0.000001'], [10_000, '$0.01'], [100_000, '$0.10'], [1_230_000, '$1.23'], [1_234_500, '$1.2345'], [12_345_000_000, '$12,345.00']])('%d micro-dollars are %s', (micro, text) => {
    expect(formatDollars(micro)).toBe(text);
  });
});
