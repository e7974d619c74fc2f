import type { Completion, RunRecord, RunStatus, StepRecord } from '../journal/port.js';
import type { Diagnostic, HumanWait, RunReport, StepSummary } from './report.js';
import type { AgentResolution } from '../agents/preflight.js';
import { addSpend, NOTHING_SPENT } from './spend.js';
import { titleOf } from './step-title.js';

export interface ReportFacts {
  readonly run: Pick<RunRecord, 'id' | 'flowName' | 'createdAt'>;
  readonly status: RunStatus;
  readonly completion?: Completion | undefined;
  readonly rows: readonly StepRecord[];
  readonly warnings: readonly Diagnostic[];
  readonly resolutions?: readonly AgentResolution[] | undefined;
  readonly wakeAt?: number | undefined;
  /** A step that `onCrash: 'park'` holds. */
  readonly heldStep?: string | undefined;
  readonly endedAt?: number | undefined;
  readonly journalPath?: string | undefined;
}

/** What is known of a run, from what the journal holds. Pure. */
export function buildReport(facts: ReportFacts): RunReport {
  const { run, status, completion, rows } = facts;
  const humanWaits = status === 'parked' || status === 'running' || status === 'interrupted' ? rows.flatMap(openQuestion) : [];
  const heldStep = facts.heldStep ?? (status === 'parked' ? heldIn(rows) : undefined);
  const parkedFor = status !== 'parked' ? undefined : humanWaits.length > 0 || heldStep !== undefined ? 'needs_human' : undefined;
  const spend = rows.reduce((sum, row) => addSpend(sum, row.spend ?? row.progress?.spend), NOTHING_SPENT);
  const reason = completion?.reason ?? parkedFor;
  const parkedStep = humanWaits[0]?.waitId ?? heldStep;
  return {
    ok: reason === 'success' || reason === 'declined',
    runId: run.id,
    rootRunId: run.id,
    flowName: run.flowName,
    status,
    ...(reason === undefined ? {} : { completionReason: reason }),
    ...(completion?.detail === undefined ? {} : { completionDetail: completion.detail }),
    completedSteps: rows.filter((row) => row.outcome?.ok === true && row.gate?.passed !== false && reached(row, status)).length,
    ...(parkedFor === undefined ? {} : { parkCause: parkedFor, ...(parkedStep === undefined ? {} : { parkedStep }) }),
    ...(humanWaits[0] === undefined ? {} : { humanWait: humanWaits[0] }),
    humanWaits,
    ...(facts.wakeAt === undefined || status !== 'parked' ? {} : { wakeAt: facts.wakeAt }),
    diagnostics: [...(completion?.error === undefined ? [] : [failureDiagnostic(completion, rows, facts.journalPath)]), ...facts.warnings],
    resolutions: facts.resolutions ?? [],
    spend,
    ...(spend.unmetered === true ? { dollarsUnmetered: true as const } : {}),
    startedAt: run.createdAt,
    ...(facts.endedAt === undefined ? {} : { endedAt: facts.endedAt }),
    steps: rows.map((row) => summarize(row, status)),
  };
}

function openQuestion(row: StepRecord): HumanWait[] {
  const { wait } = row;
  if (wait?.type !== 'human' || row.outcome !== undefined) return [];
  return [{ waitId: row.stepId, question: wait.question ?? '', to: wait.to ?? '' }];
}

/** In a run at rest a step that began, is no wait and has no outcome is one that was lost and held. */
function heldIn(rows: readonly StepRecord[]): string | undefined {
  return rows.find((row) => row.outcome === undefined && row.wait === undefined && (row.request as { onCrash?: unknown } | undefined)?.onCrash === 'park')?.stepId;
}

function summarize(row: StepRecord, status: RunStatus): StepSummary {
  const spend = row.spend ?? row.progress?.spend;
  const durationMs = row.endedAt === undefined || row.startedAt === undefined ? undefined : Math.max(0, row.endedAt - row.startedAt);
  return {
    stepId: row.stepId,
    kind: row.kind,
    title: titleOf(row),
    state: stateOf(row, status),
    attempt: row.attempt,
    ...(row.label === undefined ? {} : { label: row.label }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(spend === undefined ? {} : { spend }),
  };
}

/** Whether the outcome of a step is final: the body has it, or the run has ended. */
function reached(row: StepRecord, status: RunStatus): boolean {
  return row.position !== undefined || status === 'completed' || status === 'failed' || status === 'canceled';
}

function stateOf(row: StepRecord, status: RunStatus): StepSummary['state'] {
  if (row.outcome === undefined) {
    // A run that was ended before its body reached the step again, by a cancelation say, never learned more of it.
    if (status === 'completed' || status === 'failed' || status === 'canceled') return 'canceled';
    return row.wait !== undefined || status !== 'running' ? 'waiting' : 'running';
  }
  if (!row.outcome.ok) return row.outcome.error.completionReason === 'canceled' ? 'canceled' : 'failed';
  if (row.gate?.passed === false) return 'failed';
  // A value that has not reached the body may still be before its gate.
  return reached(row, status) ? 'succeeded' : 'running';
}

function failureDiagnostic(completion: Completion, rows: readonly StepRecord[], journalPath: string | undefined): Diagnostic {
  const failure = completion.error ?? { code: 'step_failed', text: '' };
  const row = completion.stepId === undefined ? undefined : rows.find(({ stepId }) => stepId === completion.stepId);
  const evidence = (failure.evidence ?? {}) as Partial<Record<string, unknown>>;
  const text = (key: string): string | undefined => (typeof evidence[key] === 'string' ? evidence[key] : undefined);
  const number = (key: string): number | undefined => (typeof evidence[key] === 'number' ? evidence[key] : undefined);
  const texts = (key: string): readonly string[] | undefined => {
    const list = evidence[key];
    return Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === 'string') ? list : undefined;
  };
  const request = (row?.request ?? {}) as Partial<Record<string, unknown>>;
  return compact({
    severity: 'error',
    code: failure.code,
    message: failure.text,
    hint: failure.hint,
    stepId: completion.stepId,
    stepType: row?.kind,
    completionReason: failure.completionReason,
    attempt: row?.attempt,
    maxIterations: typeof request['maxIterations'] === 'number' ? request['maxIterations'] : undefined,
    transportRetries: typeof request['transportRetries'] === 'number' ? request['transportRetries'] : undefined,
    exitCode: number('exitCode'),
    signal: text('signal'),
    errorCode: failure.code,
    stdoutTail: text('stdoutTail'),
    stderrTail: text('stderrTail'),
    detail: completion.detail,
    transcriptPath: text('transcriptPath'),
    resetsAt: moment(number('resetsAt')),
    forbidden: texts('forbidden'),
    keptIn: texts('keptIn'),
    left: texts('left'),
    journalPath,
  });
}

function moment(at: number | undefined): string | undefined {
  const date = at === undefined ? undefined : new Date(at);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Leaves out what is not known. */
function compact<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
