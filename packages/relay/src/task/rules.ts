import { BEADS_RULES } from './beads/rules.js';
import { FILES_RULES } from './files/rules.js';
import { JIRA_RULES } from './jira/rules.js';
import type { TaskRules } from './port.js';

const TASK_RULES: Readonly<Record<string, TaskRules>> = { files: FILES_RULES, jira: JIRA_RULES, beads: BEADS_RULES };

/** What the task system of this name in config.yaml takes for settings, known without making it. */
export function taskRulesOf(plugin: string): TaskRules {
  return TASK_RULES[plugin] ?? ANY_TASK_RULES;
}

/** For whoever does not know the task system: what one of them takes is no mistake. */
export const ANY_TASK_RULES: TaskRules = {
  ownKeys: Object.assign({}, ...Object.values(TASK_RULES).map(({ ownKeys }) => ownKeys)) as TaskRules['ownKeys'],
  templateScopes: ['root', 'repo', 'workflow', 'node'],
};
