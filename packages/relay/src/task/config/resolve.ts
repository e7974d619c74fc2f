import type { TaskSystem, Transition } from '../port.js';
import type { LifecyclePoint, TaskConfig } from '../task-config.js';
import { decodeTaskConfig } from './decode.js';
import { SCOPES, type TaskConfigLayers } from './layers.js';
import { mergeTaskConfig } from './merge.js';
import { taskConfigError } from './problem.js';
import { scopeProblems } from './scope-rules.js';

/**
 * What all layers come to: each is looked at for what may not stand in it, they are merged, and only the result is read strictly, so that a mistake is named by its
 * path there together with the scope that made it. The task system's own keys are in `own`, unread. `node` is the name of the node, for
 * sentences. Throws `task_config_invalid` with every mistake.
 */
export function resolveTaskConfig({ system, layers, node }: { readonly system: Pick<TaskSystem, 'ownKeys' | 'templateScopes'>; readonly layers: TaskConfigLayers; readonly node?: string }): TaskConfig {
  const misplaced = scopeProblems(system, layers, node);
  const { config, problems } = decodeTaskConfig(mergeTaskConfig(...SCOPES.map((scope) => layers[scope])), Object.keys(system.ownKeys), layers, node);
  // A null is spoken of once: read as a value, it would be the wrong kind of one.
  const spokenOf = new Set(misplaced.map(({ path }) => path));
  const all = [...misplaced, ...problems.filter(({ path }) => !spokenOf.has(path))];
  if (all.length > 0) throw taskConfigError(all);
  return config;
}

/**
 * The states to be reached at a lifecycle point: the adapter's, with what the settings say instead. Settings speak of the ticket at `start`, `work` and `end`, and
 * of the mailbox at `work`; that a finished mailbox is done, and one of a new attempt open again, is no setting.
 */
export function transitionFor(point: LifecyclePoint, { config, default: usual }: { readonly config: Pick<TaskConfig, 'transitionTo'>; readonly default: Transition }): Transition {
  const { parentStatus, taskStatus } = config.transitionTo;
  if (point === 'complete' || point === 'recovery') return usual;
  return {
    ...usual,
    ...(parentStatus === undefined ? {} : { parentStatus }),
    ...(taskStatus === undefined || point !== 'work' ? {} : { taskStatus }),
  };
}
