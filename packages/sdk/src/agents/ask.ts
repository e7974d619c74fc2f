import type { Outcome, StepFailure } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import type { AttemptContext, AttemptResult } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';
import { unwrapFence } from './answer.js';
import { executeTurn } from './execute-turn.js';
import type { LlmPlan } from './llm-prompt.js';
import type { AgentTurn } from './port.js';
import { resetWords } from './reset-words.js';
import { ended } from './sentence.js';
import type { ResolvedAgent } from './services.js';
import { settleTurn } from './settle.js';
import { turnRequest } from './turn-request.js';

/** What failures quote of a reply, in characters from the end. */
const QUOTED = 4_000;

/** Asks a model once: no tools, no session, an empty directory that is removed afterwards. */
export async function askModel(scope: VerbScope, plan: LlmPlan, attempt: AttemptContext): Promise<AttemptResult> {
  const slot = await attempt.turn(() => scope.agents.llmSlots.acquire({ signal: attempt.signal }));
  try {
    const agent = await scope.agents.resolve({ cli: plan.cli, model: plan.model, header: scope.header, config: scope.config, run: scope.run, signal: attempt.signal });
    const turn = await takeTurn({ scope, plan, attempt, agent });
    const { spend, refusal } = settleTurn({ scope, attempt, turn, model: agent.model, agent: agent.cli });
    const outcome: Outcome = refusal === undefined ? judge(plan, turn, { agent, now: attempt.clock.now() }) : { ok: false, error: refusal };
    const exitCode = turn.process?.exitCode;
    return { outcome, spend, ...(exitCode === undefined ? {} : { exitCode }) };
  } finally {
    slot.release();
  }
}

async function takeTurn(on: { readonly scope: VerbScope; readonly plan: LlmPlan; readonly attempt: AttemptContext; readonly agent: ResolvedAgent }): Promise<AgentTurn> {
  const { scope, plan, attempt, agent } = on;
  const cwd = await scope.agents.disk.makeLlmFolder(attempt);
  try {
    return await executeTurn(agent, {
      ...turnRequest({ scope, attempt, agent }),
      mode: 'llm',
      task: instructionOf(plan),
      ...(plan.output === undefined ? {} : { schema: plan.output.schema }),
      cwd,
      onEvent: (event) => attempt.agent(attempt.redact.json(event)),
    });
  } finally {
    await scope.agents.disk.dropLlmFolder(cwd);
  }
}

/** The prompt as it was written; with a schema, the request to keep to it stands behind. */
function instructionOf(plan: LlmPlan): string {
  if (plan.output === undefined) return plan.prompt;
  return `${plan.prompt}\n\nReply with JSON alone, without any other text, that fits this JSON Schema:\n${JSON.stringify(plan.output.schema)}`;
}

function judge(plan: LlmPlan, turn: AgentTurn, { agent, now }: { readonly agent: ResolvedAgent; readonly now: number }): Outcome {
  const { outcome } = turn;
  switch (outcome.class) {
    case 'success':
      return plan.output === undefined ? { ok: true, value: outcome.message } : readReply(outcome.message, plan.output);
    case 'failed':
      return fail({
        code: outcome.code, text: `The model call failed: ${ended(outcome.text)}${outcome.resetsAt === undefined ? '' : ` ${resetWords(outcome.resetsAt, now)}`}`, completionReason: 'worker_error',
        ...(outcome.hint === undefined ? {} : { hint: outcome.hint }),
        evidence: { ...(outcome.evidence as JsonValue as object | undefined), ...(outcome.resetsAt === undefined ? {} : { resetsAt: outcome.resetsAt }) },
      });
    case 'lost':
      return fail({ code: 'crashed', text: `The model call was lost: ${ended(outcome.text)}`, completionReason: 'crashed', evidence: (outcome.evidence ?? {}) as JsonValue });
    case 'timeout':
    case 'canceled':
      return fail({ code: 'canceled', text: `The call of ${agent.cli} was stopped.`, completionReason: 'canceled' });
  }
}

function readReply(reply: string, output: NonNullable<LlmPlan['output']>): Outcome {
  let value: JsonValue;
  try {
    value = JSON.parse(unwrapFence(reply)) as JsonValue;
  } catch (error) {
    return notAsAsked(`is not JSON: ${error instanceof Error ? error.message : String(error)}`, reply);
  }
  let problem: string | undefined;
  try {
    problem = output.check(value);
  } catch (error) {
    // Nested so deeply that the check ran out of stack.
    problem = error instanceof Error ? error.message : String(error);
  }
  return problem === undefined ? { ok: true, value } : notAsAsked(`does not fit the schema: ${problem}`, reply);
}

function notAsAsked(what: string, reply: string): Outcome {
  return fail({
    code: 'verification_failed',
    text: `The reply ${ended(what)}`,
    hint: 'Say in the prompt what the reply must look like, or loosen the schema.',
    completionReason: 'verification_failed',
    evidence: { reply: reply.slice(-QUOTED) },
  });
}

function fail(error: StepFailure): Outcome {
  return { ok: false, error };
}
