import type { TaskRules } from '../port.js';
import { isStatus } from './settings.js';

/** What ticket files take for settings. */
export const FILES_RULES: TaskRules = {
  ownKeys: { ticketsDir: ['repo'], statusDefaults: ['repo'] },
  templateScopes: ['root', 'repo', 'workflow', 'node'],
  complainOf({ transitionTo }, complaints) {
    for (const [key, status] of Object.entries(transitionTo)) {
      if (status !== undefined && !isStatus(status)) complaints.add(`\`transitionTo.${key}\` is not one line of text.`, 'Any word can be a status of a ticket in a file, without blanks at its ends and without line breaks.', `transitionTo.${key}`);
    }
  },
};
