import type { AgentResolution, Diagnostic, RunReport } from '@relayflows/sdk';
import type { CommandName } from '../invocation/declaration.js';
import type { Problem } from './problem.js';

/** The one document that `--json` prints. */
export interface ReportDocument {
  readonly ok: boolean;
  readonly command: CommandName | null;
  /** The flow file; null where none was named. */
  readonly path: string | null;
  readonly runId: string | null;
  readonly rootRunId: string | null;
  /** `refused` when nothing ran. */
  readonly status: string;
  readonly completionReason: string | null;
  readonly completedSteps: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly resolutions: readonly AgentResolution[];
  readonly [more: string]: unknown;
}

export function reportDocument(command: CommandName, path: string | null, report: RunReport): ReportDocument {
  const { ok, runId, rootRunId, status, completionReason, completionDetail, completedSteps, parkedStep, parkCause, humanWait } = report;
  return {
    ok,
    command,
    path,
    runId,
    rootRunId,
    status,
    completionReason: completionReason ?? null,
    ...(completionDetail === undefined ? {} : { completionDetail }),
    completedSteps,
    ...(parkedStep === undefined ? {} : { parkedStep }),
    ...(parkCause === undefined ? {} : { parkCause }),
    ...(humanWait === undefined ? {} : { humanWait }),
    ...(report.humanWaits.length < 2 ? {} : { humanWaits: report.humanWaits }),
    ...(report.wakeAt === undefined ? {} : { wakeAt: report.wakeAt }),
    flowName: report.flowName,
    startedAt: report.startedAt,
    ...(report.endedAt === undefined ? {} : { endedAt: report.endedAt }),
    spend: report.spend,
    ...(report.dollarsUnmetered === undefined ? {} : { dollars_unmetered: true }),
    diagnostics: report.diagnostics,
    resolutions: report.resolutions,
  };
}

export function refusalDocument(command: CommandName | null, path: string | null, problem: Problem): ReportDocument {
  return {
    ok: false,
    command,
    path,
    runId: problem.runId ?? null,
    rootRunId: problem.runId ?? null,
    status: problem.exit === 1 ? 'failed' : 'refused',
    completionReason: problem.completionReason ?? null,
    completedSteps: 0,
    diagnostics: [diagnosticOf(problem)],
    resolutions: [],
  };
}

/** A problem in the form of a run's diagnostics. */
export function diagnosticOf({ evidence, code, text, hint }: Problem): Diagnostic {
  return { ...evidence, severity: 'error', code, message: text, ...(hint === undefined ? {} : { hint }) };
}
