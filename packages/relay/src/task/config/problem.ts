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

/** A text that is wrong through and through is not told so a thousand times. */
const MOST_TOLD = 50;

/** The refusal of settings: one mistake as it is, several below each other. `evidence.problems` holds every one. */
export function taskConfigError(problems: readonly TaskConfigProblem[]): RelayError {
  const [first, ...others] = problems;
  if (first === undefined || others.length === 0) return new RelayError('task_config_invalid', first?.text ?? 'A taskConfig has a mistake.', { ...(first === undefined ? {} : { hint: first.hint }), evidence: { problems } });
  const told = problems.slice(0, MOST_TOLD).map(({ text, hint }) => `- ${text} ${hint}`.trimEnd());
  const rest = problems.length - told.length;
  return new RelayError('task_config_invalid', [`There are ${problems.length} mistakes in taskConfig:`, ...told, ...(rest === 0 ? [] : [`- and ${rest} more.`])].join('\n'), { hint: 'Correct them where they stand: config.yaml, the repository, the workflow or the node.', evidence: { problems } });
}
