import { FEEDBACK_FIELDS, SUMMARY_FIELDS } from './labels.js';
import { END, NONE, type NextStep, type Report, type Routes } from './report.js';

/**
 * What is wrong with a report at a node with these routes, each as a sentence for the agent that wrote it; empty for a report that may be accepted.
 * A status takes only its own targets; `end` is never a target of a failure, and takes no feedback.
 */
export function reportProblems(report: Report, routes: Routes): readonly string[] {
  const valid = targetsOf(report.status, routes);
  return [
    ...emptySections(report),
    ...(valid.includes(report.nextStep) ? [] : [unknownTarget(report, valid)]),
    ...(report.nextStep === END ? feedbackAtEnd(report) : []),
  ];
}

/** The targets a status may choose, sorted, each once. */
export function targetsOf(status: Report['status'], routes: Routes): readonly string[] {
  const targets = (routes[status] satisfies readonly NextStep[]).map(({ target }) => target);
  return [...new Set(status === 'failure' ? targets.filter((target) => target !== END) : targets)].toSorted();
}

function unknownTarget({ status, nextStep }: Report, valid: readonly string[]): string {
  const named = nextStep.length > 80 ? `${nextStep.slice(0, 77)}...` : nextStep;
  const choice = valid.length === 0 ? `No node can be chosen with STATUS ${status} here.` : `With STATUS ${status} it must be exactly one of: ${valid.join(', ')}.`;
  return status === 'failure' && nextStep === END ? `A failure may not choose ${END} as NEXT STEP. ${choice}` : `NEXT STEP ${JSON.stringify(named)} cannot be chosen. ${choice}`;
}

function emptySections({ nextStep, summary, feedback }: Report): readonly string[] {
  const empty = [
    ...(nextStep.trim() === '' ? ['NEXT STEP'] : []),
    ...SUMMARY_FIELDS.flatMap(([label, key]) => (summary[key].trim() === '' ? [label] : [])),
    ...FEEDBACK_FIELDS.flatMap(([label, key]) => (feedback[key].trim() === '' ? [label] : [])),
  ];
  return empty.map((label) => (label === 'NEXT STEP' ? 'NEXT STEP has no value: write the name of a node.' : `${label} has no value: write ${NONE} where there is nothing to say.`));
}

function feedbackAtEnd({ feedback }: Report): readonly string[] {
  const said = FEEDBACK_FIELDS.flatMap(([label, key]) => (feedback[key] === NONE ? [] : [label]));
  return said.length === 0 ? [] : [`Nobody comes after ${END}: with NEXT STEP ${END}, write exactly ${NONE} for ${said.join(', ')}.`];
}
