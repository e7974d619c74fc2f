import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, needsAgentCli } from 'test-tools';
import { expect } from 'vitest';
import { createOpencodeHarness } from '../../src/harness/opencode/harness.js';
import { OrcaPlace } from './orca-place.js';
import { terminalSuite } from './terminal-suite.js';

/** The built package of this repository, instead of the one on npm. */
const PLUGIN = new URL('../../../relay-plugin', import.meta.url).href;

needsAgentCli('opencode').describe('a ticket that OpenCode works on in Orca', () => {
  terminalSuite({
    test: needs('script', 'stty'),
    agents: { build: 'build', check: 'coder' },
    session: /^ses_/,
    make: async (scenario, config) => await OrcaPlace.make({
      agent: 'opencode', config: { harnessPlugin: 'opencode', ...config }, scenario: () => scenario,
      // It installs a package of its own at every start, and shows no plugin before that has worked or failed.
      variables: { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' },
    }, ({ env }) => createOpencodeHarness({ config: { model: 'stub/stub-model' }, env, plugin: PLUGIN })),
    async register(orca) {
      await orca.register();
      const { world, commit } = orca.place;
      for (const file of ['opencode.json', '.opencode/tui.json']) expect(readFileSync(join(world.repo, file), 'utf8')).toContain(PLUGIN);
      commit({ '.opencode/agent/coder.md': '---\ndescription: Codes.\nmode: primary\n---\nYou are the coder of this repository.\n' });
    },
  });
});
