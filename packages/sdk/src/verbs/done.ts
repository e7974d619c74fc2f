import type { FlowCompletionReason } from '@relayflows/surface';
import { FlowsError } from '../errors/flows-error.js';
import type { Redactor } from '../ports/redactor.js';
import { treatDetail } from '../run/completion-detail.js';

/** What an author may declare. `canceled` and `budget_exceeded` are facts that only a runtime states. */
const DECLARABLE: readonly FlowCompletionReason[] = ['success', 'needs_human', 'step_failed', 'declined'];

/** Checks the arguments of `f.done`. Answers with the detail as it is recorded. */
export function checkDone(args: { readonly reason: unknown; readonly options: unknown; readonly redact: Redactor }): { readonly reason: string; readonly detail: string | undefined } {
  const { reason, options } = args;
  if (!(DECLARABLE as readonly unknown[]).includes(reason)) {
    throw new FlowsError('unsupported_completion', `f.done: ${typeof reason === 'string' ? JSON.stringify(reason.slice(0, 60)) : `a ${typeof reason}`} is not a verdict a flow can give.`, {
      hint: `Use one of ${DECLARABLE.map((word) => `'${word}'`).join(', ')}.`,
    });
  }
  const detail: unknown = options === undefined || options === null ? undefined : (options as { detail?: unknown }).detail;
  if (detail !== undefined && typeof detail !== 'string') {
    // The value may be anything, a secret included, so only its type is named.
    throw new FlowsError('unsupported_completion', `f.done: the detail is a ${typeof detail}, not a string.`, { hint: 'Pass a text.' });
  }
  return { reason: reason as string, detail: detail === undefined ? undefined : treatDetail({ detail, redact: args.redact }) };
}
