import type { RunDetail } from '../../server/answers.js';
import { since } from '../text/amounts.js';
import { manyLines } from '../text/clean.js';
import { wrap } from '../text/columns.js';
import type { Page } from './run-rows.js';

/** The whole report that waits for a decision. Nothing of it is left out. */
export function proposalLines({ node, reportId, text, at }: NonNullable<RunDetail['proposal']>, { paint, room, now }: Page): string[] {
  return [`${paint.bold(`The report of ${node}`)} ${paint.dim(`(${reportId}, ${since(at, now)})`)}`, '', ...wrap(manyLines(text).trimEnd(), room - 2).map((line) => `  ${line}`.trimEnd())];
}
