import type { RunDetail, StepStatus, StepView } from '../../server/views.js';
import { count, lasting } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';
import { fit, grid, wrap } from '../text/columns.js';
import type { Paint } from '../text/paint.js';
import type { Page } from './run-rows.js';

const MARKS: { readonly [status in StepStatus]: string } = { succeeded: '✓', failed: '✗', running: '●', waiting: '…', blocked: '!', canceled: '-', pending: '○' };

/** Lines of a message that are shown below a visit; `run get --json` has all of it. */
const MESSAGE_LINES = 2;

/** A line for every visit, in the order in which they were made, and what was said about it below. */
export function pathLines(run: RunDetail, { paint, room, now }: Page): string[] {
  const walked = run.steps.filter(({ status }) => status !== 'pending');
  if (walked.length === 0) return ['  Nothing was begun yet.'];
  const [head = '', ...rows] = grid(
    [{ title: '' }, { title: '#', right: true }, { title: 'node', least: 8 }, { title: 'status' }, { title: 'time', right: true }, { title: 'waited', right: true }, { title: 'again' }, { title: 'then', least: 6 }],
    walked.map((step) => [
      MARKS[step.status],
      step.sequence === null ? '' : String(step.sequence),
      `${step.node}${step.depth > 0 ? ` (visit ${step.depth + 1})` : ''}`,
      step.status,
      timeOf(step, now),
      step.waited === null || step.waited === 0 ? '' : lasting(step.waited),
      step.retries === 0 ? '' : count(step.retries, 'retry', 'retries'),
      step.route === null ? '' : `→ ${step.route}`,
    ]),
    room - 2,
  );
  return [paint.dim(`  ${head}`), ...rows.flatMap((row, index) => [colored(`  ${row}`, walked[index], paint), ...messageOf(walked[index], paint, room)])];
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
