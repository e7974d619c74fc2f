import { boundLines, keptEnd } from './bound-lines.js';
import { cleanLines } from './clean-lines.js';
import { QUESTION_PREFIX, sizeOf, SOURCE_PREFIX, TRUNCATED_PREFIX, type NeedsInputCut, type NeedsInputRecord, type NeedsInputSource } from './record.js';

const SOURCES: readonly NeedsInputSource[] = ['needs-input.md', 'implementer-summary', 'none'];
const TRUNCATED = new RegExp(`^${TRUNCATED_PREFIX}(\\d{1,15}) of (\\d{1,15}) bytes$`);

/**
 * Reads the question of a flow from its output or from its stop message; `undefined` when there is no source record.
 *
 * A record is a whole line that begins with one of the three prefixes; lines may end with CRLF. What stands before the first source record
 * is not read, neither is what follows a truncation record or a second source record. Lines between that are no record, or a malformed one,
 * are passed over, since a stream of errors has other writers. The question is cleaned and bounded once more, whoever printed it.
 */
export function parseNeedsInput(text: string): NeedsInputRecord | undefined {
  let source: NeedsInputSource | undefined;
  let stated: NeedsInputCut | undefined;
  const questions: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const named = SOURCES.find((candidate) => line === `${SOURCE_PREFIX}${candidate}`);
    if (source === undefined) {
      source = named;
      continue;
    }
    stated = cutOf(line);
    if (named !== undefined || stated !== undefined) break;
    if (line.startsWith(QUESTION_PREFIX)) questions.push(line.slice(QUESTION_PREFIX.length));
  }
  if (source === undefined) return undefined;
  return source === 'none' ? { source, lines: [] } : recordOf(source, questions, stated);
}

function cutOf(line: string): NeedsInputCut | undefined {
  const [, kept, total] = TRUNCATED.exec(line) ?? [];
  const cut = { keptBytes: Number(kept), totalBytes: Number(total) };
  return cut.keptBytes < cut.totalBytes ? cut : undefined;
}

function recordOf(source: NeedsInputSource, questions: readonly string[], stated: NeedsInputCut | undefined): NeedsInputRecord {
  const all = cleanLines(questions.join('\n'));
  const lines = boundLines(all, keptEnd(source));
  const whole = sizeOf(all);
  const keptBytes = sizeOf(lines);
  if (keptBytes < whole) return { source, lines, truncated: { keptBytes, totalBytes: Math.max(whole, stated?.totalBytes ?? 0) } };
  return stated === undefined ? { source, lines } : { source, lines, truncated: stated };
}
