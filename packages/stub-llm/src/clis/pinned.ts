/** A coding-agent CLI at the version that is tested. */
export interface PinnedCli {
  /** What `agentCli` is asked for. */
  readonly name: AgentCliName;
  /** Its package on npm. */
  readonly package: string;
  readonly version: string;
  /** Its executable in `node_modules/.bin`. */
  readonly bin: string;
  /** Its package links a native binary into place when it is installed and does not work without. Everything else is installed without running scripts. */
  readonly needsScripts?: boolean;
  /** The version of the package `node` that it is run with, where it asks for a newer Node than this project does. */
  readonly node?: string;
}

export type AgentCliName = 'claude' | 'codex' | 'opencode' | 'pi' | 'gemini' | 'claude-2.1.197' | 'pi-1.6.0';

export const PINNED_CLIS: readonly PinnedCli[] = [
  { name: 'claude', package: '@anthropic-ai/claude-code', version: '2.1.332', bin: 'claude', needsScripts: true },
  { name: 'codex', package: '@openai/codex', version: '0.171.0', bin: 'codex' },
  { name: 'opencode', package: 'opencode-ai', version: '1.18.33', bin: 'opencode', needsScripts: true },
  { name: 'pi', package: '@mariozechner/pi-coding-agent', version: '0.73.1', bin: 'pi' },
  { name: 'gemini', package: '@google/gemini-cli', version: '0.61.0', bin: 'gemini' },
  // What people still have, and what they will have: only that these work at all is tested.
  { name: 'claude-2.1.197', package: '@anthropic-ai/claude-code', version: '2.1.197', bin: 'claude' },
  { name: 'pi-1.6.0', package: '@earendil-works/pi-coding-agent', version: '1.6.0', bin: 'pi', node: '24' },
];
