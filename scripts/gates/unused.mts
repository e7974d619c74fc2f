import { problemsOf, type Gate } from './gate.mjs';

export const unused: Gate = {
  name: 'unused',
  proves: 'no file, export or dependency is dead, and none is missing from a package.json',
  problems: (root) => problemsOf(root, 'knip', ['--no-progress']),
};
