import { FlowsError, type RunStatusView } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import { reportDocument } from '../report/report-document.js';
import { reportLines, verdictLine } from '../report/report-lines.js';
import { dataDirOf, withRuns } from '../runs/data-dir.js';
import { findRun } from '../runs/find-run.js';
import { cleanLine, jsonLine } from '../text/clean.js';
import { colorsFor, type Colors } from '../text/colors.js';
import { ago, counted, duration, moment, money, tokens, tokensUsed } from '../text/quantities.js';
import { stepTitle } from '../text/step-title.js';
import { table } from '../text/table.js';

/** How many steps a person is shown who did not say. */
const SHOWN_STEPS = 20;

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io } = context;
  const { named, dataDir } = whichRun(context);
  const view = await withRuns(context, dataDir, async (runtime) => runtime.status(await findRun(runtime, named)));
  const tail = values['tail'] === undefined ? undefined : Number(values['tail']);
  if (switches.has('json')) {
    io.stdout.write(`${jsonLine(asDocument(view, dataDir, tail))}\n`);
    return EXIT.success;
  }
  const colors = colorsFor(io.stdout.isTerminal, io.env);
  const style = { ...context.style, colors, now: io.now() };
  const lines = [...head(view, style), ...steps(view, tail ?? SHOWN_STEPS, colors, io.stdout.isTerminal ? io.stdout.columns : undefined)];
  const rest = reportLines(view.report, style);
  io.stdout.write(`${[...lines, ...(rest.length === 0 ? [] : ['', ...rest])].join('\n')}\n`);
  return EXIT.success;
}

function whichRun(context: CommandContext): { readonly named: string; readonly dataDir: string } {
  const { invocation: { values }, io } = context;
  const named = values['run-id'];
  if (named !== undefined) return { named, dataDir: dataDirOf(context) };
  const { RELAYFLOW_RUN_ID: runId, RELAYFLOW_DATA_DIR: dataDir } = io.env;
  if (runId === undefined || runId === '') {
    throw new FlowsError('run_unknown', 'No run was named, and RELAYFLOW_RUN_ID is not set.', { hint: 'Name one, for example the newest: `flows status last`.' });
  }
  return { named: runId, dataDir: values['data-dir'] === undefined && dataDir !== undefined && dataDir !== '' ? dataDir : dataDirOf(context) };
}

function asDocument({ run, report, ownerAlive }: RunStatusView, dataDir: string, tail: number | undefined): Record<string, unknown> {
  return {
    v: 1,
    ...reportDocument('status', run.source.kind === 'sealed' ? run.source.path : null, report),
    ...(run.flowVersion === undefined ? {} : { flowVersion: run.flowVersion }),
    cwd: run.cwd,
    dataDir,
    createdAt: run.createdAt,
    updatedAt: run.updatedAt,
    ...(run.owner === undefined ? {} : { owner: { pid: run.owner.pid, host: run.owner.host, ...(ownerAlive === undefined ? {} : { alive: ownerAlive }) } }),
    humanInfluenced: run.humanInfluenced,
    steps: tail === undefined ? report.steps : lastOf(report.steps, tail),
  };
}

function lastOf<T>(items: readonly T[], count: number): readonly T[] {
  return count === 0 ? [] : items.slice(-count);
}

function head({ run, report, ownerAlive }: RunStatusView, style: { readonly colors: Colors; readonly command: (args: string) => string; readonly now: number }): string[] {
  const facts: (readonly [string, string])[] = [
    ['flow', cleanLine(run.flowVersion === undefined ? run.flowName : `${run.flowName} ${run.flowVersion}`)],
    ['in', cleanLine(run.cwd)],
    ['started', `${moment(run.createdAt, style.now)} (${ago(style.now - run.createdAt)})`],
  ];
  if (report.endedAt !== undefined) facts.push(['took', duration(report.endedAt - report.startedAt)]);
  facts.push(['spent', [duration(report.spend.wallclock), tokensUsed(report.spend), money(report.spend)].filter((part) => part !== '').join(', ')]);
  if (run.owner !== undefined && run.status === 'running') {
    facts.push(['process', ownerAlive === false ? `${run.owner.pid} is gone: ${style.command(`resume ${run.id}`)}` : `${run.owner.pid} on ${cleanLine(run.owner.host)}`]);
  }
  if (run.humanInfluenced) facts.push(['altered', 'a person changed what the flow saw']);
  return [verdictLine(report), ...facts.map(([name, value]) => `  ${style.colors.dim(name.padEnd(8))} ${value}`)];
}

function steps({ report }: RunStatusView, count: number, colors: Colors, columns: number | undefined): string[] {
  const shown = lastOf(report.steps, count);
  if (shown.length === 0) return [];
  const rows = shown.map(({ stepId, state, attempt, durationMs, spend, label, title }) => [
    stepId,
    state,
    attempt > 1 ? String(attempt) : '',
    durationMs === undefined ? '' : duration(durationMs),
    spend === undefined || spend.tokens === 0 ? '' : tokens(spend.tokens),
    spend === undefined ? '' : money(spend),
    stepTitle({ label, title }),
  ]);
  const [first = '', ...rest] = table(
    [{ title: 'step' }, { title: 'state' }, { title: 'attempt', align: 'right' }, { title: 'time', align: 'right' }, { title: 'tokens', align: 'right' }, { title: 'cost', align: 'right' }, { title: 'what', flexible: true }],
    rows,
    columns,
  );
  const hidden = report.steps.length - shown.length;
  return ['', ...(hidden === 0 ? [] : [colors.dim(`${counted(hidden, 'earlier step')} not shown: --tail ${report.steps.length}`)]), colors.dim(first), ...rest];
}
