import { RelayError } from '../../errors/relay-error.js';
import type { JiraCredentials } from '../../host/credentials.js';
import type { TaskSystem } from '../port.js';

export function createJiraTaskSystem({ credentials }: { readonly credentials: JiraCredentials | undefined }): TaskSystem {
  if (credentials === undefined) throw new RelayError('credentials_invalid', 'There are no credentials for Jira.', { hint: 'Enter them with `relay-flow task auth`.' });
  throw new RelayError('config_invalid', 'Jira cannot be used yet.');
}
