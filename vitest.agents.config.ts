import { mergeConfig, defineConfig } from 'vitest/config';
import { REAL_AGENT_TESTS, shared } from './vitest.config.js';

/** The tests with the real coding-agent CLIs: `npm run test:agents` installs them and runs these. */
export default mergeConfig(shared, defineConfig({
  test: {
    include: [REAL_AGENT_TESTS],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', './packages/sdk/test/real-agents/verdict-matrix.ts'],
  },
}));
