import type { TaskRules } from '../port.js';
import { isBeadsStatus, STATUSES } from './status.js';

/** What Beads takes for settings. */
export const BEADS_RULES: TaskRules = {
  ownKeys: { beadsDir: ['repo'] },
  templateScopes: ['root', 'repo'],
  complainOf({ transitionTo }, complaints) {
    for (const [key, status] of Object.entries(transitionTo)) {
      if (status !== undefined && !isBeadsStatus(status)) complaints.add(`\`transitionTo.${key}\` is ${JSON.stringify(status)}, which is no status of Beads.`, `Use one of ${STATUSES.join(', ')}.`, `transitionTo.${key}`);
    }
  },
};
