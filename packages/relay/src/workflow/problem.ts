import { RelayError } from '../errors/relay-error.js';
import type { YamlProblem } from './yaml/read-yaml.js';

/** What is wrong with a workflow, or what its author should know: where, what, and what to do. */
export interface WorkflowProblem extends YamlProblem {
  /** The rule it breaks, 1 to 15, in the order in which they are checked; 16 for what a home says about it; 0 for a warning. */
  readonly rule: number;
  /** The file, when its name is known. */
  readonly file?: string;
}

/** `file:line:column: What is wrong. What to do.` */
export function problemText({ file, line, column, text, hint }: WorkflowProblem): string {
  return `${file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`}: ${text} ${hint}`;
}

/** The refusal of a workflow. `evidence.problems` holds every mistake, the text the first. */
export function workflowError(problems: readonly WorkflowProblem[]): RelayError {
  const [first] = problems;
  const count = problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`;
  return new RelayError('workflow_invalid', `The workflow has ${count}${first === undefined ? '' : `; ${problems.length === 1 ? 'it is' : 'the first is'} in ${where(first)}: ${first.text}`}${first === undefined ? '.' : ''}`, {
    ...(first === undefined ? {} : { hint: first.hint }),
    evidence: { problems },
  });
}

function where({ file, line, column }: WorkflowProblem): string {
  return file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`;
}
