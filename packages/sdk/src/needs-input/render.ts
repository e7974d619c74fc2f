import { keptEnd } from './bound-lines.js';
import { cleanLines } from './clean-lines.js';
import { inertMarkdown } from './inert-markdown.js';
import type { NeedsInputRecord, NeedsInputSource } from './record.js';

const INTRODUCTION: Readonly<Record<NeedsInputSource, string>> = {
  'needs-input.md': 'The agent changed nothing, since it needs an answer first:',
  'implementer-summary': 'The agent changed nothing. Its last message may say what it needs:',
  none: 'The agent changed nothing and left no question. Say in the ticket what should change and where, then start it again.',
};

/**
 * A comment for the ticket, in Markdown (CommonMark and GFM), without a newline at the end: what happened, the question as a quotation, and how much of it was cut.
 *
 * The question is treated as untrusted, also in a record that was not made by `parseNeedsInput`: all of it is legible and can be copied, and
 * nothing in it becomes a mention, a reference, a link, an image, HTML, a command or any other markup. For a tracker with another markup,
 * escape `record.lines` for that one instead.
 */
export function renderNeedsInput(record: NeedsInputRecord): string {
  const lines = cleanLines(record.lines.join('\n'));
  if (record.source === 'none' || lines.length === 0) return INTRODUCTION.none;
  const blocks = [INTRODUCTION[record.source], lines.map((line) => `> ${inertMarkdown(line)}`).join('  \n')];
  if (record.truncated !== undefined) {
    const part = keptEnd(record.source) === 'start' ? 'first' : 'last';
    blocks.push(`_Only the ${part} ${grouped(record.truncated.keptBytes)} of ${grouped(record.truncated.totalBytes)} bytes are shown._`);
  }
  return blocks.join('\n\n');
}

/** In groups of three: seven digits in a row could be taken for a commit. */
function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
