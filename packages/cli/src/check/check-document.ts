import { problemOfError } from '../report/problem.js';
import { diagnosticOf, type ReportDocument } from '../report/report-document.js';
import { namesOfChildren, type CheckedFlow } from './checked-flow.js';

/** What `check --json` prints: the same members, and what the flow is. */
export function checkDocument(path: string, { sealed, flow, problems, warnings, resolutions }: CheckedFlow): ReportDocument {
  const { header } = flow.definition;
  return {
    ok: problems.length === 0,
    command: 'check',
    path,
    runId: null,
    rootRunId: null,
    status: problems.length === 0 ? 'passed' : 'refused',
    completionReason: null,
    completedSteps: 0,
    flowName: flow.name,
    ...(header.version === undefined ? {} : { flowVersion: header.version }),
    digest: sealed.digest,
    children: namesOfChildren(flow),
    hooks: header.hooks ?? [],
    ...(header.budget === undefined ? {} : { budget: header.budget }),
    diagnostics: [...problems.map((problem) => diagnosticOf(problemOfError(problem))), ...warnings.map(({ code, text }) => ({ severity: 'warning' as const, code, message: text }))],
    resolutions,
  };
}
