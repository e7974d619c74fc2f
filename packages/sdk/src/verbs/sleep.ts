import { parseDuration } from '../run/duration.js';
import type { StepSpec } from '../run/step-spec.js';

/** A run may sleep for ten years; more is a mistake in a unit. */
const LONGEST_SLEEP_MS = 10 * 365 * 24 * 60 * 60_000;

/** `f.sleep`: waits without keeping a process. Its end is fixed when it begins, so a resumed run does not wait again. */
export function lowerSleep(duration: string | number): StepSpec {
  const ms = parseDuration(duration, { what: 'the duration of f.sleep', min: 0, max: LONGEST_SLEEP_MS });
  return {
    kind: 'sleep',
    request: { ms },
    action: { mode: 'wait', wait: (now) => ({ type: 'timer', dueAt: now + ms }) },
  };
}
