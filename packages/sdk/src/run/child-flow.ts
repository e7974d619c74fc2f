import type { Outcome } from '../journal/port.js';
import type { Done } from './body-scope.js';
import { judge, type Cause } from './verdict.js';

/** The outcome of `f.dispatch`: only `success` resolves. */
export function childOutcome(end: { readonly flowName: string; readonly cause: Cause | undefined; readonly done: Done | undefined; readonly unawaited: readonly string[] }): Outcome {
  const { completion } = judge({ canceled: false, cause: end.cause, done: end.done, unawaited: end.unawaited });
  if (completion.reason === 'success') {
    return {
      ok: true,
      value: { name: end.flowName, completionReason: 'success', ...(completion.detail === undefined ? {} : { completionDetail: completion.detail }) },
    };
  }
  const { error } = completion;
  return {
    ok: false,
    error: {
      code: error?.code ?? 'dispatch_failed',
      text: `Child flow ${end.flowName} ended with ${completion.reason}${error === undefined ? (completion.detail === undefined ? '' : `: ${completion.detail}`) : `: ${error.text}`}`,
      completionReason: completion.reason,
      ...(error?.hint === undefined ? {} : { hint: error.hint }),
      ...(error?.evidence === undefined ? {} : { evidence: error.evidence }),
    },
  };
}
