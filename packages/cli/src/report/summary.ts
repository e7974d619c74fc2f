import type { RunReport, Spend, StepSummary } from '@relayflows/sdk';
import type { Colors } from '../text/colors.js';
import { counted, duration, money, tokens } from '../text/quantities.js';
import { stepTitle } from '../text/step-title.js';
import { table } from '../text/table.js';

/** How many steps the summary names; the rest is one line. */
const NAMED_STEPS = 8;

/** Where the time and the money went: the steps that took most, and the sum. Empty for a run whose steps took nothing worth naming. */
export function summaryLines(report: RunReport, { colors, columns }: { readonly colors: Colors; readonly columns: number }): string[] {
  const measured = report.steps.filter((step) => (step.durationMs ?? 0) > 0 || (step.spend?.microDollars ?? 0) > 0);
  if (measured.length < 2) return [];
  const named = new Set([...measured].sort((a, b) => cost(b) - cost(a)).slice(0, NAMED_STEPS));
  const rows = measured.filter((step) => named.has(step)).map((step) => row(step));
  const rest = measured.filter((step) => !named.has(step));
  if (rest.length > 0) rows.push(['', counted(rest.length, 'more step'), ...sums(rest)]);
  const elapsed = report.endedAt === undefined ? '' : `, ${duration(report.endedAt - report.startedAt)} elapsed`;
  rows.push(['', `total${elapsed}`, ...spentCells(report.spend)]);

  const [head = '', ...body] = table(
    [{ title: 'step' }, { title: 'what', flexible: true }, { title: 'time', align: 'right' }, { title: 'tokens', align: 'right' }, { title: 'cost', align: 'right' }],
    rows,
    columns,
  );
  return [colors.dim(head), ...body];
}

/** A dollar weighs as much as a minute: either may be what a user looks for. */
function cost(step: StepSummary): number {
  return (step.durationMs ?? 0) + (step.spend?.microDollars ?? 0) * 0.06;
}

function row(step: StepSummary): string[] {
  const failed = step.state === 'failed' ? ' ✗' : '';
  const spend = step.spend ?? { wallclock: step.durationMs ?? 0, tokens: 0, microDollars: 0 };
  return [`${step.stepId}${failed}`, stepTitle(step), ...spentCells({ ...spend, wallclock: step.durationMs ?? spend.wallclock })];
}

function sums(steps: readonly StepSummary[]): string[] {
  let [wallclock, tokenCount, microDollars, unmetered] = [0, 0, 0, false];
  for (const { durationMs, spend } of steps) {
    wallclock += durationMs ?? 0;
    tokenCount += spend?.tokens ?? 0;
    microDollars += spend?.microDollars ?? 0;
    unmetered ||= spend?.unmetered === true;
  }
  return spentCells({ wallclock, tokens: tokenCount, microDollars, unmetered });
}

function spentCells(spend: Spend): string[] {
  return [duration(spend.wallclock), spend.tokens === 0 ? '' : tokens(spend.tokens), money(spend)];
}
