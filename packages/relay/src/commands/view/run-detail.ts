import type { RunDetail } from '../../server/answers.js';
import { clock, count, lasting, since } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';
import { facts, wrap } from '../text/columns.js';
import { pathLines } from './path.js';
import { boxed, todo } from './todo.js';
import { PHASE_WORDS, phaseHeading, type Page } from './run-rows.js';

/** Where a ticket stands: what it is, the path walked, what can come next, and what a person must do. `words` are how commands name the ticket. */
export function runDetailLines(run: RunDetail, page: Page, words: string): string[] {
  const { paint, room } = page;
  const title = oneLine(run.ticket.title);
  const [first = '', ...rest] = wrap(`${oneLine(run.ticket.key)}${title === '' ? '' : `  ${title}`}`, room - PHASE_WORDS[run.phase].length - 1);
  const next = run.steps.filter(({ status }) => status === 'pending').map(({ node, nodeType }) => (nodeType === 'lifecycle' ? node : `${node} (${nodeType === 'hitl' ? 'with a person' : 'agent'})`));
  return [
    `${phaseHeading(run.phase, paint)} ${paint.bold(first)}`,
    ...rest.map((line) => paint.bold(line)),
    ...facts(head(run, page), room, paint.dim),
    '',
    paint.bold('Path'),
    ...pathLines(run, page),
    ...(next.length === 0 ? [] : ['', paint.bold('Can come next'), ...wrap(next.join(', '), room - 2).map((line) => `  ${line}`)]),
    ...boxed(todo(run, page, words), page),
  ];
}

function head(run: RunDetail, { now }: Page): (readonly [string, string])[] {
  const { known, runner, taskSystem, harness, other } = run.resourcesDuration;
  const spent = ([['harness', harness], ['task system', taskSystem], ['runner', runner], ['work and waiting', other]] as const).filter(([, ms]) => ms > 0).map(([what, ms]) => `${what} ${lasting(ms)}`);
  const began = run.startedAt ?? run.createdAt;
  return [
    ['workflow', `${run.workflow} in ${run.repo}${run.attempt > 1 ? `, attempt ${run.attempt}` : ''}`],
    ['began', `${clock(began, now)} (${since(began, now)})`],
    ...(run.finishedAt === null ? [] : [['ended', `${clock(run.finishedAt, now)}, after ${lasting(run.finishedAt - began)}`] as const]),
    ['walked', count(run.progress.completed, 'node')],
    ...(known && spent.length > 0 ? [['took', spent.join(', ')] as const] : []),
    ...(run.workspace === null ? [] : [['workspace', oneLine(run.workspace)] as const]),
  ];
}
