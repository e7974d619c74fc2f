import { FlowsError } from '../errors/flows-error.js';
import type { StepRecord } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import type { LiveStep } from './live-step.js';

/** How many characters of each side a message shows. The evidence holds everything. */
const SHOWN = 300;

/** The body created another step than the journal recorded at this place. Both sides stand one above the other. */
export function mismatch(args: { readonly recorded: StepRecord; readonly step: LiveStep }): FlowsError {
  const { recorded, step } = args;
  const before = describe(recorded.stepId, recorded.label, recorded.request);
  const now = describe(step.id, step.label, step.request);
  return new FlowsError('replay_mismatch', [
    `Step ${recorded.seq} is not the one that was recorded; the run was left as it was.`,
    `  recorded: ${before}`,
    `  now:      ${now}`,
  ].join('\n'), {
    hint: 'Resume with the stored source, or start a new run. A body must create the same steps in the same order every time.',
    stepId: recorded.stepId,
    evidence: {
      recorded: { stepId: recorded.stepId, kind: recorded.kind, label: recorded.label ?? null, request: recorded.request ?? null, fingerprint: recorded.fingerprint },
      now: { stepId: step.id, kind: step.spec.kind, label: step.label ?? null, request: step.request ?? null, fingerprint: step.fingerprint },
    },
  });
}

function describe(stepId: string, label: string | undefined, request: JsonValue | undefined): string {
  const text = [stepId, ...(label === undefined ? [] : [JSON.stringify(label)]), ...(request === undefined ? [] : [JSON.stringify(request)])].join(' ');
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
