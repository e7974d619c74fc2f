import type { JsonValue } from '@relayflows/sdk';
import type { TaskConfigLayer } from '../task/task-config.js';

/** config.yaml, checked and with its defaults. */
export interface RelayConfig {
  /** Default 15. */
  readonly pollIntervalSeconds: number;
  /** Completed and canceled runs older than this are deleted when the server starts. Default 30. */
  readonly completedRunRetentionDays: number;
  /** Terminals stay when a node is done, and get the feedback of its next visit. Needs `keepSessionsAlive`. Default true. */
  readonly keepTerminalsAlive: boolean;
  /** A node's next visit goes on with its session. Default true. */
  readonly keepSessionsAlive: boolean;
  /** Default `files`. */
  readonly taskPlugin: string;
  readonly taskConfig: TaskConfigLayer;
  /** Default `worktree`. */
  readonly runnerPlugin: string;
  readonly runnerConfig: Readonly<Record<string, JsonValue>>;
  /** Default `command`. */
  readonly harnessPlugin: string;
  readonly harnessConfig: Readonly<Record<string, JsonValue>>;
  readonly repos: Readonly<Record<string, RepoEntry>>;
}

export interface RepoEntry {
  /** Absolute, real, unique. */
  readonly path: string;
  readonly taskConfig: TaskConfigLayer;
}
