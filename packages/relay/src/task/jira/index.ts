import { isRelayError, RelayError } from '../../errors/relay-error.js';
import type { JiraCredentials } from '../../host/credentials.js';
import { Locks } from '../../queues/locks.js';
import type { TaskSystem } from '../port.js';
import { JiraClient, type JiraClock } from './client/client.js';
import { People } from './people.js';
import { jqlFor, searchPage } from './poll.js';
import { checkStatuses, projectFacts } from './project.js';
import { registrationConfig, registrationFields } from './registration.js';
import { JiraRepo } from './repo.js';
import { JIRA_RULES } from './rules.js';
import { invalid, readSettings, type JiraSettings } from './settings.js';

export interface JiraTaskSystemOptions {
  /** Absent: there are none yet, which is refused. */
  readonly credentials: JiraCredentials | undefined;
  /** Default: the machine's. */
  readonly clock?: JiraClock;
  /** In [0, 1), for the spread of waits. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Jira Cloud through REST v3: a component of a project, mailboxes as its tickets' subtasks. Throws `credentials_invalid` when there are none, or the site is
 * no address that begins with https.
 */
export function createJiraTaskSystem({ credentials, clock, random }: JiraTaskSystemOptions): TaskSystem {
  if (credentials === undefined) throw new RelayError('credentials_invalid', 'There are no credentials for Jira.', { hint: 'Enter them with `relay-flow task auth`.' });
  const client = new JiraClient({ credentials, clock, random });
  const people = new People(client, credentials.email);
  const writes = new Locks();
  return {
    name: 'jira',
    title: 'Jira',
    ...JIRA_RULES,

    async probe({ signal }) {
      await people.ask({ once: true, timeoutMs: 5_000, signal });
    },

    async openRepo(repo) {
      const settings = readSettings(repo.ownTaskConfig);
      const { accountId, emailAddress } = await people.me();
      const facts = await projectFacts(client, settings.project);
      const mailboxType = checkStatuses(settings, facts);
      const { subtaskTypes } = facts;
      await checkComponent(client, settings, subtaskTypes);
      // Claims are kept apart by the address, or by the account where Jira hides it.
      const owner = (emailAddress ?? accountId).trim().toLowerCase();
      return new JiraRepo({ repo, settings, mailboxType, subtaskTypes, client, people, writes, owner });
    },

    async registrationFields({ repo, values }) {
      return await registrationFields(client, repo, values);
    },

    registrationConfig({ repo, values }) {
      return registrationConfig(repo, values);
    },

    async close() {
      client.close();
      await Promise.resolve();
    },
  };
}

/** Jira refuses to search for a component that it does not have. */
async function checkComponent(client: JiraClient, { project, component }: JiraSettings, subtaskTypes: readonly string[]): Promise<void> {
  try {
    await searchPage(client, { jql: jqlFor({ project, component, subtaskTypes }), about: `the component ${component} of project ${project}`, maxResults: 1 });
  } catch (error) {
    if (isRelayError(error) && error.code === 'task_rejected') throw invalid(`\`taskConfig.component\` cannot be used. ${error.text}`, `Make the component ${component} in project ${project}, or name another.`);
    throw error;
  }
}
