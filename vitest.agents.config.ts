import { mergeConfig, defineConfig } from 'vitest/config';
import { REAL_AGENT_TESTS, shared } from './vitest.config.js';

/** The tests with the real coding-agent CLIs: `npm run test:agents` installs them and runs these. */
export default mergeConfig(shared, defineConfig({
  test: {
    include: [REAL_AGENT_TESTS],
    // More than there are processors on small machines: most of the time a CLI waits, for its own retries above all.
    maxWorkers: 4,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', './packages/sdk/test/real-agents/verdict-matrix.ts'],
  },
}));
