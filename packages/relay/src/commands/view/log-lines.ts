import type { RunLogEntry } from '../../server/api.js';
import { clock } from '../text/amounts.js';
import { manyLines } from '../text/clean.js';
import type { Paint } from '../text/paint.js';

/** One entry, a line for each of its own. What the run did and what agents wrote are told apart. */
export function logLines({ at, node, stream, text }: RunLogEntry, paint: Paint, now: number): string[] {
  const mark = stream === 'engine' ? '·' : stream === 'stderr' ? '!' : '|';
  const head = `${paint.dim(clock(at, now))} ${paint.cyan(node ?? 'run')} ${paint.dim(mark)}`;
  return manyLines(text).split('\n').map((line) => `${head} ${line}`.trimEnd());
}
