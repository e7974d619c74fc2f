import type { StepMarker } from './port.js';

/**
 * The scopes a process lives in, outermost first: `<runId>/<stepId>/<attempt>;…`. A flow started by a step of another flow adds its own behind,
 * so the outer step's sweep finds the inner flow's processes as well. Characters of an id that mean something here, or to a shell, are percent-encoded.
 */
export const SCOPE_VARIABLE = 'RELAYFLOW_SCOPE';

/** The marker of a process, for the environment `outer` was meant to have. */
export function markerVariables(marker: StepMarker, outer: Readonly<Record<string, string>>): Record<string, string> {
  const scope = outer[SCOPE_VARIABLE];
  const own = stepScope(marker);
  return {
    RELAYFLOW_RUN_ID: marker.runId,
    RELAYFLOW_STEP_ID: marker.stepId,
    RELAYFLOW_ATTEMPT: String(marker.attempt),
    [SCOPE_VARIABLE]: scope === undefined || scope === '' ? own : `${scope};${own}`,
  };
}

/** Whether a process with this scope chain belongs to something. */
export type ScopeTest = (scope: string) => boolean;

export function ofStep(marker: StepMarker): ScopeTest {
  const own = stepScope(marker);
  return (scope) => scope.split(';').includes(own);
}

export function ofRun(runId: string): ScopeTest {
  return (scope) => scope.split(';').some((part) => part.startsWith(`${word(runId)}/`));
}

/** What the attempt of a step is called in the scope of its processes. */
export function stepScope(marker: StepMarker): string {
  return `${word(marker.runId)}/${word(marker.stepId)}/${marker.attempt}`;
}

/** A name without what separates the parts of a scope. Names that we make are left as they are. */
function word(name: string): string {
  return name.replace(/[^\w.~-]/gu, (character) => [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''));
}
