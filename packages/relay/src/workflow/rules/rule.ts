import type { Place } from '../yaml/located.js';
import type { WorkflowProblem } from '../problem.js';

/** Where, what is wrong, what to do: what a rule says about one mistake. */
export type Finding = readonly [at: Place, text: string, hint: string];

export function problemsOf(rule: number, findings: readonly Finding[]): readonly WorkflowProblem[] {
  return findings.map(([{ path, line, column }, text, hint]) => ({ rule, path, line, column, text, hint }));
}
