import { FlowsError } from '../errors/flows-error.js';

/** What a wait for an agent, a slot or a probe rejects with when its step is stopped. */
export function canceledError(): FlowsError {
  return new FlowsError('canceled', 'The step was stopped before its agent had started.', { completionReason: 'canceled' });
}
