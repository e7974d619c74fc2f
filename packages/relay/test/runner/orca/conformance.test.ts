import { describe, test } from 'vitest';
import { runnerConformance } from '../../../src/runner/conformance.js';
import { OrcaScene } from './orca-scene.js';

// Once as an application that hangs up, and once as one that answers with a failure, where it does not answer.
describe.each(['hang-up', 'runtime-error'] as const)('failing by %s', (lose) => {
  runnerConformance({ name: 'orca', test, setUp: async () => new OrcaScene().setUp(lose) });
});
