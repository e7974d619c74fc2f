/** Options of `f.agent`. A duration is a number of milliseconds, or `<n>` followed by `ms`, `s`, `m`, `h` or `d`. */
export interface AgentOptions {
  /** What the agent is to do, delivered byte for byte. Must not be blank. */
  task: string;
  /** The CLI to run. Default: `header.agents[name]`, then the flow's, then `cli` of `flows.json`. */
  cli?: string;
  /** Default: the model of the named agent, then the CLI's own. */
  model?: string;
  /** Where the agent works, inside the directory the run was started from. Default: that directory. */
  cwd?: string;
  /** No default; at most 24 hours. A timeout resolves the step, with `completionReason: 'timeout'`. Only with `transport: 'direct'` and one iteration. */
  timeout?: string | number;
  /** Default `'direct'`: the CLI is a child of this process. */
  transport?: 'direct' | 'relay';
  /** Whole attempts. Default 1. */
  maxIterations?: number;
  /** Repeats after a lost transport only, such as a CLI killed by a signal. Default 1; 0 turns it off. */
  transportRetries?: number;
  /** What happens to the directory before a repeat: back to what it was, after saving what is there (the default); go on from what is there; or stop. */
  recoveryMode?: 'reset' | 'inspect' | 'manual';
  /** A bare name, for hosts that provide workspaces. Refused for an agent that runs on this machine. */
  workspace?: string;
  /** What the agent may write. Verified after its turn by content: what is not allowed is put back and fails the step with `permission_violated`. Default: everything. */
  permissions?: AgentPermissions;
  /** `sessionId` of an earlier {@link AgentResult}, to continue that conversation. */
  resume?: string;
  /** What happens on resume to a step that was in flight when the process died: run it again (the default), fail it, or park the run until a person decides. */
  onCrash?: 'rerun' | 'fail' | 'park';
}

export interface AgentPermissions {
  /**
   * Files that may be created, changed and deleted, as globs relative to the agent's directory; dots are nothing special, and `!glob` takes out what it
   * matches. An empty list allows nothing.
   */
  fileGlobs?: string[];
  /** Hosts that may be reached. A CLI that cannot be held to it runs with the warning `permissions_unenforced`. */
  networkAllowlist?: string[];
  /** `'readonly'`: nothing may change, neither files nor branches. Default `'readwrite'`. */
  accessPreset?: 'readonly' | 'readwrite';
}

/**
 * What an agent step gives. When the agent's last message is exactly one JSON object, that object is the value instead, and `artifacts` is what the
 * agent put there, if anything.
 */
export interface AgentResult {
  /** `'timeout'` when the declared `timeout` ended it: test this before using the rest. */
  completionReason: 'success' | 'timeout';
  /** The agent's last message; after a timeout, what is known of its progress. */
  summary: string;
  /** Files whose content differs between before and after, relative to the agent's directory. */
  artifacts: string[];
  /** Present when the CLI names its conversation. */
  sessionId?: string;
}
