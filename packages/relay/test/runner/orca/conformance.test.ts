import { describe, test } from 'vitest';
import { runnerConformance } from '../../../src/runner/conformance.js';
import { OrcaScene } from './orca-scene.js';

runnerConformance({ name: 'orca', test, setUp: async () => new OrcaScene().setUp('hang-up') });

describe('an application that says that it failed, where the other hangs up', () => {
  runnerConformance({
    name: 'orca',
    test: (name, body) => /answer|no error tells/.test(name) && test(name, body),
    setUp: async () => new OrcaScene().setUp('runtime-error'),
  });
});
