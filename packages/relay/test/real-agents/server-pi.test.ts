import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needs, needsAgentCli } from 'test-tools';
import { expect } from 'vitest';
import { OrcaPlace } from './orca-place.js';
import { terminalSuite } from './terminal-suite.js';

const DOWN = '\u001B[B';
const ENTER = '\r';
const PLUGIN = fileURLToPath(new URL('../../../relay-plugin', import.meta.url));

// The pinned older version knows neither `--name` nor `--session-id`: relay-flow cannot use it.
needsAgentCli('pi-1.6.0').describe('a ticket that Pi works on in Orca', () => {
  terminalSuite({
    test: needs('script', 'stty'),
    agents: { build: 'default', check: 'coder' },
    session: /./,
    make: async (scenario, config) => await OrcaPlace.make({ agent: 'pi-1.6.0', config: { harnessPlugin: 'pi', ...config }, scenario: () => scenario, variables: { PI_OFFLINE: '1' } }),
    async register(orca) {
      const { env, world, commit } = orca.place;
      commit({ '.pi/prompts/coder.md': '---\ndescription: Codes\n---\nYou are the coder. $@\n' });
      await promisify(execFile)('pi', ['install', PLUGIN], { env, cwd: world.repo, timeout: 60_000 });
      await orca.register();
    },
    // Every worktree is another folder, and each would be asked about; the one above them is asked about once.
    async admit(orca, title) {
      await expect.poll(async () => await orca.screen(title), { timeout: 120_000, interval: 500 }).toMatch(/→ Trust\n\s*Trust parent folder/);
      await orca.press(title, DOWN);
      await expect.poll(async () => await orca.screen(title), { timeout: 120_000, interval: 500 }).toContain('→ Trust parent folder');
      await orca.press(title, ENTER);
    },
  });
});
