import type { WorkflowProblem } from '../../workflow/problem.js';
import { oneLine } from '../text/clean.js';
import { wrap } from '../text/columns.js';
import type { Paint } from '../text/paint.js';

/** Mistakes or warnings of a workflow: place, what is wrong, what to do. */
export function problemList(problems: readonly WorkflowProblem[], word: 'error' | 'warning', paint: Paint, room: number): string[] {
  return problems.flatMap(({ file, line, column, text, hint }) => [
    `${file === undefined ? '' : `${oneLine(file)}:`}${line}:${column} ${word === 'error' ? paint.red(word) : paint.yellow(word)}`,
    ...wrap(oneLine(text), room - 2).map((part) => `  ${part}`),
    ...wrap(oneLine(hint), room - 2).map((part) => paint.dim(`  ${part}`)),
  ]);
}
