import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { 'test-tools': fileURLToPath(new URL('packages/sdk/test/tools.ts', import.meta.url)) },
  },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Bundled flows are loaded by Node itself, as in the product, not transformed by the test runner.
    server: { deps: { external: [/\/[0-9a-f]{32}\.mjs(?:\?.*)?$/] } },
  },
});
