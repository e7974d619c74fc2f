import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, mergeConfig } from 'vitest/config';

/** Tests that need the coding-agent CLIs; `vitest.agents.config.ts` runs them. */
export const REAL_AGENT_TESTS = 'packages/*/test/real-agents/**/*.test.ts';

export const shared = defineConfig({
  resolve: {
    alias: { 'test-tools': fileURLToPath(new URL('packages/sdk/test/tools.ts', import.meta.url)) },
  },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // These end what hangs, and nothing that a slow machine is still at.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Bundled flows are loaded by Node itself, as in the product, not transformed by the test runner.
    server: { deps: { external: [/\/[0-9a-f]{32}\.mjs(?:\?.*)?$/] } },
  },
});

export default mergeConfig(shared, defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, REAL_AGENT_TESTS],
  },
}));
