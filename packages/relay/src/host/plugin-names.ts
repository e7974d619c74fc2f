/** What can be chosen in config.yaml; the first of each is the one that works without anything else. */
export const TASK_PLUGINS = ['files', 'jira', 'beads'] as const;
export const RUNNER_PLUGINS = ['worktree', 'orca'] as const;
export const HARNESS_PLUGINS = ['command', 'claude', 'opencode', 'pi'] as const;
