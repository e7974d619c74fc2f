import { keptEnd } from './bound-lines.js';
import { formatNeedsInput } from './format.js';
import { parseNeedsInput } from './parse.js';
import { sizeOf, SOURCE_PREFIX, type NeedsInputRecord } from './record.js';

/** What stands before the question keeps at most this many code points. */
const PREAMBLE_MAX = 500;

/**
 * A stop message within `room` code points (2,000, say), whose records still say what a host has to know: of the question, the end that
 * matters stays, in whole lines where that can be, and the size of the whole is told. `undefined` when the text has no question. Give it a text that is too long.
 */
export function shortenNeedsInput(text: string, room: number): string | undefined {
  const record = parseNeedsInput(text);
  if (record === undefined || record.lines.length === 0) return undefined;
  const before = text.slice(0, text.search(new RegExp(`^${SOURCE_PREFIX}`, 'm'))).trim();
  const preamble = pointsOf(before).length > PREAMBLE_MAX ? `${pointsOf(before).slice(0, PREAMBLE_MAX - 1).join('')}…` : before;
  const message = (lines: readonly string[]): string => `${preamble}\n${recordsOf(record, lines)}`.trim();

  for (let count = record.lines.length; count > 0; count -= 1) {
    const shorter = message(lastOf(record, record.lines, count));
    if (pointsOf(shorter).length <= room) return shorter;
  }
  const line = pointsOf(lastOf(record, record.lines, 1)[0] ?? '');
  // What stands around a line that is long: a number of four digits is told of it.
  const rest = pointsOf(message(['x'.repeat(1_000)])).length - 1_000;
  return message([lastOf(record, line, room - rest).join('').trim()]);
}

/** The part of a question's lines, or of one line's characters, that is kept: the start of a file, the end of a message. */
function lastOf({ source }: NeedsInputRecord, all: readonly string[], count: number): readonly string[] {
  return keptEnd(source) === 'start' ? all.slice(0, count) : all.slice(-count);
}

function recordsOf({ source, lines, truncated }: NeedsInputRecord, kept: readonly string[]): string {
  return formatNeedsInput({ source, text: kept.join('\n'), totalBytes: truncated?.totalBytes ?? sizeOf(lines) });
}

function pointsOf(text: string): string[] {
  return Array.from(text);
}
