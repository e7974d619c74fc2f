import { isRelayError, RelayError } from '../../errors/relay-error.js';
import { textOf } from '../../errors/text-of.js';
import type { RepoEntry } from '../../host/config-types.js';
import { mergeTaskConfig } from '../../task/config/merge.js';
import type { Workshop } from '../workshop.js';

/** Opens a registered repository with the task system. Throws why it cannot be used. */
export async function openRepo(shop: Workshop, name: string, entry: RepoEntry): Promise<void> {
  const task = await shop.taskSystem.openRepo({
    name, path: entry.path, ownTaskConfig: entry.taskConfig,
    taskConfig: mergeTaskConfig(shop.config.taskConfig, entry.taskConfig),
  });
  const twin = shop.repos.all().find((other) => other.name !== name && other.task.identity === task.identity);
  if (twin !== undefined) throw new RelayError('repo_invalid', `${name} and ${twin.name} stand for the same tickets.`, { hint: 'Give each repository tickets of its own.' });
  shop.repos.put({ name, path: entry.path, task, layers: { root: shop.config.taskConfig, repo: entry.taskConfig } });
}

/** The same when the server starts: what is in the way of one repository is kept and shown, and the others work. */
export async function openRepoIsolated(shop: Workshop, name: string, entry: RepoEntry): Promise<RelayError | undefined> {
  try {
    await openRepo(shop, name, entry);
    return undefined;
  } catch (error) {
    const problem = isRelayError(error) ? error : new RelayError('internal_error', `${name} cannot be opened: ${textOf(error)}`, { cause: error });
    shop.repos.fail(name, problem);
    return problem;
  }
}
