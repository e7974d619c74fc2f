import type { StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import { evidenceOf, retryAgent, type Beginning } from './continuation.js';
import type { AgentPlan } from './options.js';
import type { AgentOutcome } from './port.js';
import { resetWords } from './reset-words.js';
import { ended } from './sentence.js';

/** What a turn that did not succeed comes to as the failure of its step. Pure. */
export function turnFailure(args: {
  readonly plan: AgentPlan;
  readonly begun: Pick<Beginning, 'iteration' | 'losses'>;
  readonly outcome: Exclude<AgentOutcome, { readonly class: 'success' | 'timeout' }>;
  readonly transcriptPath: string;
  /** What it had changed by then. */
  readonly artifacts: readonly string[] | undefined;
  readonly now: number;
}): StepFailure {
  const { plan, begun, outcome, artifacts } = args;
  if (outcome.class === 'canceled') {
    return { code: 'canceled', text: `Agent "${plan.name}" was stopped.`, hint: 'Resume the run to let it go on.', completionReason: 'canceled', evidence: evidenceOf(plan, begun) };
  }
  const lost = outcome.class === 'lost';
  const resetsAt = outcome.class === 'failed' ? outcome.resetsAt : undefined;
  const resets = resetsAt === undefined ? '' : ` ${resetWords(resetsAt, args.now)}`;
  const failure: StepFailure = {
    code: lost ? 'crashed' : outcome.code,
    text: `Agent "${plan.name}" ${lost ? 'was lost' : 'failed'}: ${ended(outcome.text)}${resets}`,
    ...(outcome.hint === undefined ? {} : { hint: outcome.hint }),
    evidence: {
      ...(outcome.evidence as JsonValue as object | undefined),
      ...evidenceOf(plan, begun),
      transcriptPath: args.transcriptPath,
      ...(resetsAt === undefined ? {} : { resetsAt }),
      ...(artifacts === undefined || artifacts.length === 0 ? {} : { artifacts: artifacts.slice(0, LISTED), artifactCount: artifacts.length }),
    },
  };
  const repeatedBefore = begun.iteration > 1 || begun.losses > 0;
  const exhausted = repeatedBefore && retryAgent(plan, failure) === undefined;
  return { ...failure, completionReason: exhausted ? 'retries_exhausted' : lost ? 'crashed' : 'worker_error' };
}

/** How many artifacts of a failed turn are listed. */
const LISTED = 1_000;
