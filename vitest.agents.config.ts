import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/** `npm run test:agents`: tests that drive the real coding-agent CLIs against the scripted model server. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['packages/*/test/real-agents/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    maxWorkers: 2,
    // A turn takes seconds, and some CLIs repeat a refused request for more than a minute.
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
