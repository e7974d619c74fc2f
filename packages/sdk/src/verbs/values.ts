import type { StepSpec } from '../run/step-spec.js';

/** `f.now`: milliseconds since the epoch, recorded. */
export function lowerNow(): StepSpec {
  return { kind: 'now', action: { mode: 'value', produce: ({ clock }) => clock.now() } };
}

/** `f.uuid`: a random UUID, recorded. */
export function lowerUuid(): StepSpec {
  return { kind: 'uuid', action: { mode: 'value', produce: ({ ids }) => ids.uuid() } };
}
