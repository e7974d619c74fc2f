import { formatReport } from './format.js';
import { END, NONE, type NextStep, type Report, type ReportStatus, type Routes } from './report.js';
import { targetsOf } from './validate.js';

/**
 * What an agent is told about the report of a node with these routes. It ends with lines that begin with `STATUS:` and are no report, so a program that
 * only repeats what it was told is never taken to have reported.
 */
export function reportContract(routes: Routes): string {
  const endAllowed = targetsOf('success', routes).includes(END);
  return [
    'When your work at this node is finished, answer with a report and nothing else: plain text, no greeting, no code fence.',
    'It has these fourteen labels, in upper case, each exactly once at the start of a line. SUMMARY and FEEDBACK are headings without a value of their own;',
    `every other label needs a value on its line or below it. Where there is nothing to say, the value is ${NONE}.`,
    '',
    'An example:',
    '',
    formatReport(exampleReport(routes)).trimEnd(),
    '',
    ...(endAllowed ? [`With NEXT STEP ${END} all four values of FEEDBACK must be exactly ${NONE}, since nobody comes after it.`] : []),
    'NEXT STEP is exactly one of the names below, chosen by what is said about it:',
    '',
    ...choices('success', routes),
    ...choices('failure', routes),
  ].join('\n');
}

/** A report that may be given at a node with these routes, as an example. */
export function exampleReport(routes: Routes): Report {
  const status: ReportStatus = targetsOf('success', routes).length > 0 ? 'success' : 'failure';
  const valid = targetsOf(status, routes);
  // In the order of the workflow, in which the usual way comes first.
  const inOrder = routes[status].map(({ target }) => target).filter((target) => valid.includes(target));
  const nextStep = inOrder.find((target) => target !== END) ?? inOrder[0] ?? END;
  const atEnd = nextStep === END;
  return {
    status,
    nextStep,
    summary: {
      completed: 'The list of orders can be filtered by date.',
      commits: '1a2b3c4 Filter orders by date',
      notCompleted: NONE,
      issuesDiscovered: 'Two clients send dates without a time zone.',
      verification: 'The tests of the orders module pass.',
      notes: NONE,
    },
    feedback: {
      reasonForNextStep: atEnd ? NONE : 'The change is complete and its tests pass.',
      requiredActions: atEnd ? NONE : 'Read the change to the date parser with care.',
      relevantContext: atEnd ? NONE : 'The date parser is shared with the invoices.',
      expectedResult: atEnd ? NONE : 'A decision about dates without a time zone.',
    },
  };
}

function choices(status: ReportStatus, routes: Routes): readonly string[] {
  const valid = targetsOf(status, routes);
  if (valid.length === 0) return [`STATUS: ${status} cannot be chosen at this node.`];
  const steps = valid.flatMap((target) => routes[status].filter((step: NextStep) => step.target === target));
  return [`STATUS: ${status} with one of these as NEXT STEP:`, ...steps.map(({ target, when }) => (when === undefined || when.trim() === '' ? `- ${target}` : `- ${target} — when: ${when.trim()}`))];
}

/** What an agent is told whose finished turn holds no valid report: always this, never the prompt of its node. */
export function correction(problems: readonly string[], contract: string): string {
  return ['Your last answer could not be taken as the report of this node:', ...problems.map((problem) => `- ${problem}`), '', 'Answer with the corrected report only.', '', contract].join('\n');
}
