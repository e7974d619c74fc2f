import { problemsOf, type Gate } from './gate.mjs';

export const lint: Gate = {
  name: 'lint',
  proves: 'the rules of .oxlintrc.json hold, those that need types included',
  afterBuild: true,
  problems: (root) => problemsOf(root, 'oxlint', ['--type-aware', '--deny-warnings']),
};
