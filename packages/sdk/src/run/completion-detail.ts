import { COMPLETION_DETAIL_MAX_CODE_POINTS } from '@relayflows/surface';
import { shortenNeedsInput } from '../needs-input/shorten.js';
import type { Redactor } from '../ports/redactor.js';

const SUFFIX = '… (truncated)';

/**
 * The detail of a verdict as it is recorded: redacted, well-formed, trimmed and bounded, in this order; `undefined` when nothing is left. A question
 * that a flow relays keeps its records when it is bounded, since hosts read it here.
 */
export function treatDetail(args: { readonly detail: string; readonly redact: Redactor }): string | undefined {
  // Half a pair of surrogates cannot be written as UTF-8, so it would not come back from the journal as it went in.
  const text = args.redact.text(args.detail).replace(/\p{Surrogate}/gu, '\uFFFD').trim();
  if (text === '') return undefined;
  // A code point has at most two units, so this much is enough to tell whether there are too many.
  const points = Array.from(text.slice(0, 2 * (COMPLETION_DETAIL_MAX_CODE_POINTS + 1)));
  if (points.length <= COMPLETION_DETAIL_MAX_CODE_POINTS) return text;
  const question = shortenNeedsInput(text, COMPLETION_DETAIL_MAX_CODE_POINTS);
  if (question !== undefined) return question;
  return points.slice(0, COMPLETION_DETAIL_MAX_CODE_POINTS - Array.from(SUFFIX).length).join('') + SUFFIX;
}

/** A detail on one line, for messages. */
export function foldDetail(detail: string): string {
  return detail.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
