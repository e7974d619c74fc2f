import { RelayError } from '../../errors/relay-error.js';
import type { TaskConfigScope } from '../task-config.js';

/** What is wrong with settings, and who said it. */
export interface TaskConfigProblem {
  /** In the merged settings: `filters.labels[1]`. */
  readonly path: string;
  /** The scope whose value counts there. */
  readonly scope: TaskConfigScope | undefined;
  /** What is wrong, as a sentence that names path and scope. */
  readonly text: string;
  /** What to do, as a sentence. */
  readonly hint: string;
}

/** The refusal of settings. `evidence.problems` holds every mistake. */
export function taskConfigError(problems: readonly TaskConfigProblem[]): RelayError {
  const [first] = problems;
  const more = problems.length > 1 ? ` There ${problems.length === 2 ? 'is another mistake' : `are ${problems.length - 1} more mistakes`}.` : '';
  return new RelayError('task_config_invalid', `${first?.text ?? 'A taskConfig has a mistake.'}${more}`, { ...(first === undefined ? {} : { hint: first.hint }), evidence: { problems } });
}
