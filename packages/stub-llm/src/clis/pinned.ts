/** A coding-agent CLI at the version that is tested. */
export interface PinnedCli {
  /** What `agentCli` is asked for. */
  readonly name: AgentCliName;
  /** Its package on npm. */
  readonly package: string;
  readonly version: string;
  /** Its executable in `node_modules/.bin`. */
  readonly bin: string;
  /**
   * The script, below `node_modules`, that links its native binary into place. It is run by name: what else packages would like to do when they are
   * installed is not run.
   */
  readonly setup?: string;
  /** The Node that it is run with, where it asks for a newer one than this project does. */
  readonly node?: string;
}

export type AgentCliName = 'claude' | 'codex' | 'opencode' | 'pi' | 'gemini' | 'claude-2.1.197' | 'pi-1.6.0';

export const PINNED_CLIS: readonly PinnedCli[] = [
  { name: 'claude', package: '@anthropic-ai/claude-code', version: '2.1.332', bin: 'claude', setup: '@anthropic-ai/claude-code/install.cjs' },
  { name: 'codex', package: '@openai/codex', version: '0.171.0', bin: 'codex' },
  { name: 'opencode', package: 'opencode-ai', version: '1.18.33', bin: 'opencode', setup: 'opencode-ai/postinstall.mjs' },
  { name: 'pi', package: '@mariozechner/pi-coding-agent', version: '0.73.1', bin: 'pi' },
  { name: 'gemini', package: '@google/gemini-cli', version: '0.61.0', bin: 'gemini' },
  // What people still have, and what they will have: only that these work at all is tested.
  { name: 'claude-2.1.197', package: '@anthropic-ai/claude-code', version: '2.1.197', bin: 'claude', setup: '@anthropic-ai/claude-code/install.cjs' },
  { name: 'pi-1.6.0', package: '@earendil-works/pi-coding-agent', version: '1.6.0', bin: 'pi', node: '24.21.0' },
];
