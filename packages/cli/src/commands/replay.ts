import type { RunStatusView, StepRecord, StepSummary } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import { verdictLine } from '../report/report-lines.js';
import { dataDirOf, withRuns } from '../runs/data-dir.js';
import { findRun } from '../runs/find-run.js';
import { findStep } from '../runs/find-step.js';
import { delivered, momentOf, seen, undelivered, type Moment } from '../runs/history.js';
import { cleanLine, jsonExcerpt, jsonLine } from '../text/clean.js';
import { colorsFor, type Colors } from '../text/colors.js';
import { duration } from '../text/quantities.js';
import { stepTitle } from '../text/step-title.js';

/** How much of a value a person is shown, in characters; `--json` has all of it. */
const SHOWN = 400;

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io } = context;
  const view = await withRuns(context, dataDirOf(context), async (runtime) => runtime.status(await findRun(runtime, values['run-id'] ?? '')));
  const moment = values['at'] === undefined ? undefined : momentOf(view.steps, findStep(view, values['at']));
  io.stdout.write(
    switches.has('json')
      ? `${jsonLine(asDocument(view, moment))}\n`
      : `${[...head(view), ...body(view, moment, colorsFor(io.stdout.isTerminal, io.env))].join('\n')}\n`,
  );
  return EXIT.success;
}

function asDocument({ run, report, steps }: RunStatusView, moment: Moment | undefined): Record<string, unknown> {
  return {
    v: 1,
    ok: true,
    command: 'replay',
    path: run.source.kind === 'sealed' ? run.source.path : null,
    runId: run.id,
    flowName: run.flowName,
    status: run.status,
    completionReason: report.completionReason ?? null,
    input: run.input,
    ...(moment === undefined
      ? { delivered: delivered(steps).map(stepData), open: undelivered(steps).map(stepData) }
      : { at: moment.step.stepId, delivered: moment.before.map(stepData), step: stepData(moment.step), open: moment.open.map(openData) }),
  };
}

function stepData(step: StepRecord): Record<string, unknown> {
  const { position, stepId, kind, label, attempt, request, startedAt, endedAt, spend, gate, wait } = step;
  return {
    stepId,
    kind,
    ...(label === undefined ? {} : { label }),
    ...(position === undefined ? {} : { position }),
    attempt,
    ...(request === undefined ? {} : { request }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(spend === undefined ? {} : { spend }),
    ...(wait === undefined ? {} : { wait }),
    ...(gate === undefined ? {} : { gate }),
    ...seen(step),
  };
}

/** At that moment its outcome was not known. */
function openData({ stepId, kind, label, request, wait }: StepRecord): Record<string, unknown> {
  return { stepId, kind, ...(label === undefined ? {} : { label }), ...(request === undefined ? {} : { request }), ...(wait === undefined ? {} : { wait }) };
}

function head({ run, report }: RunStatusView): string[] {
  return [verdictLine(report), `flow  ${cleanLine(run.flowName)}`, `input ${jsonExcerpt(run.input, SHOWN)}`, ''];
}

function body(view: RunStatusView, moment: Moment | undefined, colors: Colors): string[] {
  const titles = new Map(view.report.steps.map((step) => [step.stepId, step]));
  const shown = (step: StepRecord): string[] => stepLines(step, titles.get(step.stepId), colors);
  const opened = (steps: readonly StepRecord[], when: string): string[] =>
    steps.length === 0 ? [] : ['', `Open ${when}:`, ...steps.map((step) => `       ${step.stepId}  ${titleOf(titles.get(step.stepId))}`)];
  if (moment === undefined) {
    const all = delivered(view.steps);
    return [...(all.length === 0 ? ['No step was delivered.'] : all.flatMap(shown)), ...opened(undelivered(view.steps), 'at the end')];
  }
  const { step, before, open } = moment;
  const arrives = step.position === undefined ? `${step.stepId} was never delivered.` : `Now ${step.stepId} arrives:`;
  return [...before.flatMap(shown), ...(before.length === 0 ? [] : ['']), colors.bold(arrives), ...(step.position === undefined ? [] : shown(step)), ...opened(open, 'at that moment')];
}

function stepLines(step: StepRecord, summary: StepSummary | undefined, colors: Colors): string[] {
  const took = step.startedAt === undefined || step.endedAt === undefined ? '' : `  ${duration(step.endedAt - step.startedAt)}`;
  const result = seen(step);
  const value = result === undefined ? '' : 'error' in result ? colors.red(`[${result.error.code}] ${cleanLine(result.error.text)}`) : jsonExcerpt(result.value, SHOWN);
  return [`${String(step.position ?? '').padStart(4)}   ${colors.bold(step.stepId)}  ${titleOf(summary)}${colors.dim(took)}`, `       ${value}`];
}

function titleOf(summary: StepSummary | undefined): string {
  return summary === undefined ? '' : stepTitle(summary);
}
