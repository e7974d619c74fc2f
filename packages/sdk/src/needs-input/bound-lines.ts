import { NEEDS_INPUT_MAX_BYTES, NEEDS_INPUT_MAX_LINES, type NeedsInputSource } from './record.js';

/** Which end of a text is kept: a file begins with its question, a message ends with it. */
export function keptEnd(source: NeedsInputSource): 'start' | 'end' {
  return source === 'implementer-summary' ? 'end' : 'start';
}

/** As many whole lines as the bounds allow, or a part of the outermost one when it alone is too long. Takes and gives clean lines. */
export function boundLines(lines: readonly string[], end: 'start' | 'end'): readonly string[] {
  const outermostFirst = end === 'start' ? lines : lines.toReversed();
  const kept: string[] = [];
  let size = -1;
  for (const line of outermostFirst.slice(0, NEEDS_INPUT_MAX_LINES)) {
    size += 1 + Buffer.byteLength(line);
    if (size > NEEDS_INPUT_MAX_BYTES) break;
    kept.push(line);
  }
  const [outermost] = outermostFirst;
  if (kept.length === 0 && outermost !== undefined) return [cutLine(outermost, end)];
  return end === 'start' ? kept : kept.toReversed();
}

function cutLine(line: string, end: 'start' | 'end'): string {
  const bytes = Buffer.from(line);
  if (end === 'start') {
    let stop = NEEDS_INPUT_MAX_BYTES;
    while (isContinuation(bytes[stop])) stop -= 1;
    return bytes.toString('utf8', 0, stop).trim();
  }
  let start = bytes.length - NEEDS_INPUT_MAX_BYTES;
  while (isContinuation(bytes[start])) start += 1;
  return bytes.toString('utf8', start).trim();
}

/** Whether a byte belongs to the UTF-8 character of the byte before it. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
