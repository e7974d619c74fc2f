import { askModel } from '../agents/ask.js';
import { planLlm, type LlmPlan } from '../agents/llm-prompt.js';
import type { JsonValue } from '../ports/json.js';
import type { StepSpec } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';

/** A lost connection is tried again once: a question has no effect that could happen twice. */
const LOST_RETRIES = 1;
const RETRY_DELAY_MS = 1_000;

/**
 * `f.llm`: a question to a model, as a step. Template form gives text; call form gives JSON that fits `output`. Throws `llm_cli_unresolved` at the call
 * for anything else.
 */
export function lowerLlm(scope: VerbScope, prompt: TemplateStringsArray | string, ...rest: readonly unknown[]): StepSpec {
  const plan = planLlm(prompt, rest);
  return {
    kind: 'llm',
    request: requestOf(plan),
    action: {
      mode: 'effect',
      retry: (failure, attempt) => (failure.code === 'crashed' && attempt <= LOST_RETRIES ? { delayMs: RETRY_DELAY_MS } : undefined),
      execute: (attempt) => askModel(scope, plan, attempt),
    },
  };
}

function requestOf(plan: LlmPlan): JsonValue {
  return {
    prompt: plan.prompt,
    ...(plan.cli === undefined ? {} : { cli: plan.cli }),
    ...(plan.model === undefined ? {} : { model: plan.model }),
    ...(plan.output === undefined ? {} : { output: plan.output.schema }),
  };
}
