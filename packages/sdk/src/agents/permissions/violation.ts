import type { StepFailure } from '../../journal/port.js';
import type { WriteRule } from './rule.js';
import type { Finding } from './verify.js';

/** How much of a list a sentence names. */
const NAMED = 5;
/** How much of it the evidence holds. */
const LISTED = 10_000;

/** The failure of a step whose agent changed what it may not. `also` is how its turn failed besides. */
export function violationFailure(args: { readonly agent: string; readonly rule: Pick<WriteRule, 'words'>; readonly finding: Finding; readonly since?: string; readonly also?: StepFailure }): StepFailure {
  const { agent, rule, finding, since, also } = args;
  const { forbidden, keptIn, left } = finding;
  const kept = keptIn.length === 0 ? '' : ` What it had written is kept in ${keptIn.join(' and ')}.`;
  const outcome = left.length === 0 ? (forbidden.length === 1 ? 'It was put back.' : 'They were put back.') : `Not everything could be put back: ${named(left, '; ')}.`;
  return {
    code: 'permission_violated',
    text: `Agent "${agent}" made ${forbidden.length} ${forbidden.length === 1 ? 'change' : 'changes'} that its permissions (${rule.words}) do not allow${since ?? ''}: ${named(forbidden, ', ')}. ${outcome}${kept}`
      + (also === undefined ? '' : ` Its turn had also failed: ${also.text}`),
    hint: `Say in the task what the agent must not touch, or allow it in permissions.${also?.hint === undefined ? '' : ` ${also.hint}`}`,
    completionReason: 'verification_failed',
    evidence: {
      ...(also?.evidence as object | undefined),
      forbidden: forbidden.slice(0, LISTED), forbiddenCount: forbidden.length, keptIn: [...keptIn], left: left.slice(0, LISTED),
      ...(also === undefined ? {} : { turnCode: also.code }),
    },
  };
}

/** The beginning of a list, and how much more there is. */
export function named(items: readonly string[], separator: string): string {
  const more = items.length - NAMED;
  return more <= 0 ? items.join(separator) : `${items.slice(0, NAMED).join(separator)}${separator}and ${more} more`;
}
