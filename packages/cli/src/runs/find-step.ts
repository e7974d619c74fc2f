import { FlowsError, type RunStatusView, type StepRecord } from '@relayflows/sdk';
import { nearest } from '../invocation/nearest.js';

/** The step of a run that a user named. Throws `step_not_found`. */
export function findStep({ run, steps }: RunStatusView, stepId: string): StepRecord {
  const found = steps.find((step) => step.stepId === stepId);
  if (found !== undefined) return found;
  const known = steps.map((step) => step.stepId);
  const meant = nearest(stepId, known);
  throw new FlowsError('step_not_found', `The run ${run.id} has no step \`${stepId}\`.`, {
    hint: meant !== undefined ? `Did you mean \`${meant}\`?` : known.length === 0 ? 'It has no steps yet.' : `\`flows status ${run.id}\` lists its steps.`,
    runId: run.id,
  });
}
