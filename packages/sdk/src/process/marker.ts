import type { StepMarker } from './port.js';

/**
 * The scopes a process lives in, outermost first: `<runId>/<stepId>/<attempt>;…`. A flow started by a step of another flow adds its own behind,
 * so the outer step's sweep finds the inner flow's processes as well.
 */
export const SCOPE_VARIABLE = 'RELAYFLOW_SCOPE';

/** Adds the marker to an environment, in place. */
export function mark(env: Record<string, string>, marker: StepMarker): void {
  const outer = env[SCOPE_VARIABLE];
  const own = stepScope(marker);
  env['RELAYFLOW_RUN_ID'] = marker.runId;
  env['RELAYFLOW_STEP_ID'] = marker.stepId;
  env['RELAYFLOW_ATTEMPT'] = String(marker.attempt);
  env[SCOPE_VARIABLE] = outer === undefined || outer === '' ? own : `${outer};${own}`;
}

/** Whether a process with this scope chain belongs to something. */
export type ScopeTest = (scope: string) => boolean;

export function ofStep(marker: StepMarker): ScopeTest {
  const own = stepScope(marker);
  return (scope) => scope.split(';').includes(own);
}

export function ofRun(runId: string): ScopeTest {
  return (scope) => scope.split(';').some((part) => part.startsWith(`${runId}/`));
}

function stepScope(marker: StepMarker): string {
  return `${marker.runId}/${marker.stepId}/${marker.attempt}`;
}
