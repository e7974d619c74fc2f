import type { RunDetail } from '../../server/answers.js';
import { lasting, since } from '../text/amounts.js';
import { oneLine } from '../text/clean.js';
import { fill, widthOf, wrap } from '../text/columns.js';
import type { Page } from './run-rows.js';

/** What a person must or can do, or should know: sentences, and commands that begin with a blank. Empty when the run needs nobody. */
export function todo(run: RunDetail, { now }: Page, words: string): string[] {
  const attention = oneLine(run.attention ?? '');
  const error = oneLine(run.retry?.lastError ?? run.lastError ?? '');
  const lines: string[] = [];
  if (run.proposal !== null) {
    lines.push(`The report of ${oneLine(run.proposal.node)} has waited ${lasting(now - run.proposal.at)} for your decision. Read it and decide:`);
    lines.push(` relay-flow run approve ${words}`, ` relay-flow run reject ${words} --reason "…"`);
    if (attention !== '' && run.state === 'blocked') lines.unshift(attention);
  } else if (attention !== '') {
    // Why it stands still comes before what is to be done about it. Where it is tried again, the failed try says so below.
    if (run.state === 'blocked' && run.retry === null && error !== '' && error !== attention) lines.push(closed(error));
    lines.push(attention);
  }
  else if (run.state === 'blocked') lines.push(error === '' ? 'Something must be put right by a person; the log says what.' : error);
  else if (run.state === 'canceling' && error !== '') lines.push(closed(`Its cancelation is not finished: ${error}`), 'It is tried again every few seconds.');
  else if (run.state === 'canceled') lines.push(closed(`It was canceled${error === '' ? '' : `: ${error}`}`), 'Begin again from its start:', ` relay-flow run restart ${words}`);
  if (run.retry !== null) lines.push(closed(`Try ${run.retry.attempt} failed${error === '' || lines.includes(error) ? '' : `: ${error}`}`), `The next try is ${since(run.retry.nextRetryAt, now)}; it goes on by itself once it succeeds.`);
  if (run.state === 'blocked') lines.push(` relay-flow run cancel ${words} --reason "…"`);
  return lines;
}

function closed(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** A frame around lines, as wide as they are and never wider than the page. Commands are not broken, so that they can be copied: one that is too long reaches out of the frame. */
export function boxed(lines: readonly string[], { paint, room }: Page): string[] {
  if (lines.length === 0) return [];
  const inner = lines.flatMap((line) => (line.startsWith(' ') ? [`  ${line.trimStart()}`] : wrap(line, room - 4)));
  const width = Math.min(room - 4, Math.max(...inner.map(widthOf)));
  const edge = paint.yellow;
  return ['', edge(`┌${'─'.repeat(width + 2)}┐`), ...inner.map((line) => `${edge('│')} ${fill(line, width)}${widthOf(line) > width ? '' : ` ${edge('│')}`}`), edge(`└${'─'.repeat(width + 2)}┘`)];
}
