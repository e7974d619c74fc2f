import { problemsOf, type Gate } from './gate.mjs';

export const types: Gate = {
  name: 'types',
  proves: 'packages, tests, examples, benchmarks and scripts type-check',
  afterBuild: true,
  problems: (root) => problemsOf(root, 'tsc', ['-p', 'tsconfig.tests.json', '--pretty', 'false']),
};
