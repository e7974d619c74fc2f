import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Harness } from '../harness/port.js';
import { readCredentials } from '../host/credentials.js';
import type { RelayConfig } from '../host/config-types.js';
import type { Home } from '../host/home.js';
import { readIfThere, replaceFile } from '../host/private-file.js';
import type { Runner } from '../runner/port.js';
import type { TaskSystem } from '../task/port.js';

/** What an adapter is made from. */
export interface PluginFacts {
  readonly home: Home;
  readonly config: RelayConfig;
  /** The environment of the server. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Makes the task system that config.yaml names. Throws `config_invalid`, `credentials_invalid`. */
export async function createTaskSystem({ home, config, env }: PluginFacts): Promise<TaskSystem> {
  switch (config.taskPlugin) {
    case 'jira': {
      const { createJiraTaskSystem } = await import('../task/jira/index.js');
      return createJiraTaskSystem({ credentials: readCredentials(home).jira });
    }
    case 'beads': {
      const { createBeadsTaskSystem } = await import('../task/beads/index.js');
      return createBeadsTaskSystem({ env, owner: ownerOf(home, config) });
    }
    default: {
      const { createFilesTaskSystem } = await import('../task/files/files-task-system.js');
      return createFilesTaskSystem({ stateDir: `${home.root}/files`, owner: ownerOf(home, config) });
    }
  }
}

/** Makes the runner that config.yaml names. Throws `config_invalid`. */
export async function createRunner({ home, config, env }: PluginFacts): Promise<Runner> {
  if (config.runnerPlugin === 'orca') {
    const { createOrcaRunner } = await import('../runner/orca/index.js');
    return createOrcaRunner({ config: config.runnerConfig, env });
  }
  const { createWorktreeRunner } = await import('../runner/worktree/worktree-runner.js');
  return createWorktreeRunner({ home: home.root, config: config.runnerConfig, env });
}

/** Makes the harness that config.yaml names. Throws `config_invalid`. */
export async function createHarness({ config, env }: PluginFacts): Promise<Harness> {
  const given = { config: config.harnessConfig, env };
  switch (config.harnessPlugin) {
    case 'claude':
      return (await import('../harness/claude/harness.js')).createClaudeHarness(given);
    case 'opencode':
      return (await import('../harness/opencode/harness.js')).createOpencodeHarness(given);
    case 'pi':
      return (await import('../harness/pi/harness.js')).createPiHarness(given);
    default:
      return (await import('../harness/command/harness.js')).createCommandHarness(given);
  }
}

/** Who claims tickets in files and Beads: the person of config.yaml, otherwise this home, so that servers that share a folder or a workspace keep apart. */
function ownerOf(home: Home, { taskConfig }: RelayConfig): string {
  const { assignee } = taskConfig;
  if (typeof assignee === 'string' && assignee.trim() !== '') return assignee.trim().toLowerCase();
  const file = join(home.root, 'identity');
  const known = readIfThere(file)?.trim();
  if (known !== undefined && known !== '') return known;
  const made = randomUUID();
  replaceFile(file, `${made}\n`);
  return made;
}
