import type { TaskRules } from '../port.js';

/** What Jira takes for settings. Which statuses and people there are, only Jira knows. */
export const JIRA_RULES: TaskRules = {
  ownKeys: { project: ['repo'], component: ['repo'], statusDefaults: ['repo'] },
  templateScopes: ['root', 'repo', 'workflow', 'node'],
};
