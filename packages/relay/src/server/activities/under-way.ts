import type { RunUpdate } from '../../store/run-table.js';
import type { Workshop } from '../workshop.js';

/**
 * How a run is shown while something is done for it. While it is tried again, what was in the way stays to be seen, and one that is blocked stays so: only success
 * tells that a person has put it right.
 */
export function underWay({ store }: Workshop, runId: string): Pick<RunUpdate, 'state' | 'attention' | 'lastError' | 'retry'> {
  const run = store.run(runId);
  // What waits with a retry waits for its agent, which may use the model again later.
  const again = run !== undefined && run.retry !== null && run.state !== 'waiting';
  if (!again) return { state: 'running', attention: null, lastError: null, retry: null };
  return run.state === 'blocked' ? {} : { state: 'running' };
}
