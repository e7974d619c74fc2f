import { MENDED, PROJECT } from './project.js';

/** What a demo begins with. */
export interface Scenario {
  /** What is remarkable about the repository, behind its name. */
  readonly state: string;
  /** The files of its first commit, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly ticket: {
    readonly source: 'github';
    readonly identifier: string;
    readonly title: string;
    readonly body: string;
    readonly labels: readonly string[];
  };
}

export type ScenarioName = 'fix' | 'unclear-ticket';

export const SCENARIOS: { readonly [name in ScenarioName]: Scenario } = {
  'fix': {
    state: 'one of its tests fails',
    files: PROJECT,
    ticket: {
      source: 'github',
      identifier: '#4',
      title: 'A price of 10.05 is printed as 10.5',
      body: [
        'Customers read 10.5 on their receipts where they paid 10.05. `test/price.test.js` shows it and has been red since Friday.',
        '',
        'Refunds are negative prices and go through the same function, so look at them too.',
      ].join('\n'),
      labels: ['bug'],
    },
  },
  'unclear-ticket': {
    state: 'its tests pass',
    files: MENDED,
    ticket: {
      source: 'github',
      identifier: '#7',
      title: 'Round the total to five cents',
      body: 'Nobody carries single cents any more. Round what `lib/total.js` returns to the nearest five cents when a customer pays in cash.',
      labels: ['feature'],
    },
  },
};
