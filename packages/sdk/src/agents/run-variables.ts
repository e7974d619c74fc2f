import type { AttemptContext } from '../run/step-spec.js';

/** What every agent is told of the run it works for. */
export function runVariables(attempt: Pick<AttemptContext, 'run' | 'stepId' | 'attempt'>): Record<string, string> {
  return {
    RELAYFLOW_DATA_DIR: attempt.run.dataDir,
    RELAYFLOW_RUN_ID: attempt.run.runId,
    RELAYFLOW_STEP_ID: attempt.stepId,
    RELAYFLOW_ATTEMPT: String(attempt.attempt),
  };
}
