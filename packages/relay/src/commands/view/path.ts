import type { RunDetail, StepStatus, StepView } from '../../server/answers.js';
import { count, lasting } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';
import { fit, grid, wrap } from '../text/columns.js';
import type { Paint } from '../text/paint.js';
import { PHASE_WORDS, type Page } from './run-rows.js';

const MARKS: { readonly [status in StepStatus]: string } = { succeeded: '✓', failed: '✗', running: '●', waiting: '…', blocked: '!', canceled: '-', pending: '○' };

/** Lines of a message that are shown below a visit; `run get --json` has all of it. */
const MESSAGE_LINES = 2;

/** Below this, what a visit went through stands below it. */
const ONE_LINE = 84;

/** A line for every visit, in the order in which they were made, and what was said about it below. */
export function pathLines(run: RunDetail, { paint, room, now }: Page): string[] {
  const walked = run.steps.filter(({ status }) => status !== 'pending');
  if (walked.length === 0) return ['  Nothing was begun yet.'];
  const narrow = room < ONE_LINE;
  const through = [{ title: 'status' }, { title: 'time', right: true as const }, { title: 'waited', right: true as const }, { title: 'again' }];
  const [head = '', ...rows] = grid(
    [{ title: '' }, { title: '#', right: true }, { title: 'node', least: 8 }, ...(narrow ? [] : through), { title: 'then', least: 6 }],
    walked.map((step) => [
      MARKS[markOf(step, run)],
      step.sequence === null ? '' : String(step.sequence),
      `${step.node}${step.depth > 0 ? ` (visit ${step.depth + 1})` : ''}`,
      ...(narrow ? [] : [statusOf(step, run), timeOf(step, now), waitOf(step), retriesOf(step)]),
      step.route === null ? '' : `→ ${step.route}`,
    ]),
    room - 2,
  );
  const below = (step: StepView | undefined): string[] => {
    if (step === undefined || !narrow) return [];
    const [time, wait, retries] = [timeOf(step, now), waitOf(step), retriesOf(step)];
    return wrap([`${statusOf(step, run)}${time === '' ? '' : ` ${time}`}`, ...(wait === '' ? [] : [`waited ${wait}`]), ...(retries === '' ? [] : [retries])].join(', '), room - 6).map((line) => `      ${line}`);
  };
  return [paint.dim(`  ${head}`), ...rows.flatMap((row, index) => [colored(`  ${row}`, walked[index], paint), ...below(walked[index]), ...messageOf(walked[index], paint, room)])];
}

/** An open visit says for what it waits. */
function statusOf(step: StepView, { phase }: RunDetail): string {
  return step.status === 'waiting' && step.finishedAt === null ? PHASE_WORDS[phase] : step.status;
}

function markOf(step: StepView, { phase }: RunDetail): StepStatus {
  return step.status === 'waiting' && phase === 'agent' ? 'running' : step.status;
}

function waitOf({ waited }: StepView): string {
  return waited === null || waited === 0 ? '' : lasting(waited);
}

function retriesOf({ retries }: StepView): string {
  return retries === 0 ? '' : count(retries, 'retry', 'retries');
}

function timeOf({ duration, startedAt, finishedAt }: StepView, now: number): string {
  const ms = duration ?? (startedAt === null ? undefined : (finishedAt ?? now) - startedAt);
  return ms === undefined ? '' : lasting(ms);
}

function messageOf(step: StepView | undefined, paint: Paint, room: number): string[] {
  const message = oneLine(step?.message ?? '');
  if (message === '' || message === 'None') return [];
  const lines = wrap(message, room - 6);
  const shown = lines.slice(0, MESSAGE_LINES);
  if (lines.length > MESSAGE_LINES) shown[MESSAGE_LINES - 1] = fit(`${shown[MESSAGE_LINES - 1] ?? ''}……`, room - 6).replace(/…+$/, '…');
  return shown.map((line) => paint.dim(`      ${line}`));
}

function colored(row: string, step: StepView | undefined, paint: Paint): string {
  switch (step?.status) {
    case 'succeeded':
      return row.replace(MARKS.succeeded, paint.green);
    case 'failed':
      return row.replace(MARKS.failed, paint.red);
    case 'blocked':
      return paint.red(row);
    case 'waiting':
    case 'running':
      return paint.bold(row);
    default:
      return row;
  }
}
