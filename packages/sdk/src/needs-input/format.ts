import { boundLines, keptEnd } from './bound-lines.js';
import { cleanLines } from './clean-lines.js';
import { QUESTION_PREFIX, sizeOf, SOURCE_PREFIX, TRUNCATED_PREFIX, type NeedsInputSource } from './record.js';

/** A question as an agent left it. */
export interface NeedsInputText {
  readonly source: NeedsInputSource;
  /** Anything: escapes, CRLF, and in bytes also invalid UTF-8, which becomes U+FFFD. */
  readonly text: string | Uint8Array;
  /** UTF-8 bytes of what `text` was taken from. Set it when `text` is a part of that; a size that is not above that of `text` has no effect. */
  readonly totalBytes?: number;
}

/**
 * The records of a question, one a line, without a newline at the end. Never fails; a text with nothing to show has the source `none`.
 *
 * The size that a cut names is that of the clean text, or `totalBytes` when `text` had already been cut.
 */
export function formatNeedsInput({ source, text, totalBytes }: NeedsInputText): string {
  const decoded = typeof text === 'string' ? text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(text);
  const lines = source === 'none' ? [] : cleanLines(decoded);
  if (lines.length === 0) return `${SOURCE_PREFIX}none`;

  const kept = boundLines(lines, keptEnd(source));
  const records = [`${SOURCE_PREFIX}${source}`, ...kept.map((line) => `${QUESTION_PREFIX}${line}`)];
  const whole = sizeOf(lines);
  const missing = missingBytes(text, totalBytes);
  const total = missing === 0 ? whole : Buffer.byteLength(decoded) + missing;
  const size = sizeOf(kept);
  if (size < total) records.push(`${TRUNCATED_PREFIX}${size} of ${total} bytes`);
  return records.join('\n');
}

/** What had been left out before. */
function missingBytes(text: string | Uint8Array, totalBytes: number | undefined): number {
  return Number.isSafeInteger(totalBytes) ? Math.max(0, Number(totalBytes) - Buffer.byteLength(text)) : 0;
}
