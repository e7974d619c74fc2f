/** Where a question comes from: the file the agent wrote, the end of its last message, or nowhere. */
export type NeedsInputSource = 'needs-input.md' | 'implementer-summary' | 'none';

/** What was left out of a question. */
export interface NeedsInputCut {
  /** UTF-8 bytes of the lines that were kept, joined by newlines. */
  readonly keptBytes: number;
  /** UTF-8 bytes of the whole. */
  readonly totalBytes: number;
}

/** What a flow that stopped wants to know. */
export interface NeedsInputRecord {
  readonly source: NeedsInputSource;
  /** The question: trimmed lines that are not empty, without control characters. At most 60, and at most 4,000 bytes; none when the source is `none`. */
  readonly lines: readonly string[];
  /** Absent when the question is whole. */
  readonly truncated?: NeedsInputCut;
}

/** Lines of a question that are kept. */
export const NEEDS_INPUT_MAX_LINES = 60;

/** UTF-8 bytes of a question that are kept, counted with one newline between two lines. */
export const NEEDS_INPUT_MAX_BYTES = 4_000;

export const SOURCE_PREFIX = 'relayflow needs-input-source: ';
export const QUESTION_PREFIX = 'relayflow needs-input: ';
export const TRUNCATED_PREFIX = 'relayflow needs-input-truncated: ';

/** The size in which records count. */
export function sizeOf(lines: readonly string[]): number {
  return Buffer.byteLength(lines.join('\n'));
}
