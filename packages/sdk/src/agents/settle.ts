import type { FlowHeader } from '@relayflows/surface';
import type { StepFailure } from '../journal/port.js';
import type { AttemptContext, AttemptResult } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';
import { charge } from './charge.js';
import type { AgentTurn } from './port.js';
import { ended } from './sentence.js';

/** What a turn is charged, and the refusal of a success that cannot be charged although the budget counts. Passes the turn's warnings on. */
export function settleTurn(args: { readonly scope: VerbScope; readonly attempt: AttemptContext; readonly turn: AgentTurn; readonly model: string | undefined; readonly agent: string }): {
  readonly spend: NonNullable<AttemptResult['spend']>;
  readonly refusal?: StepFailure;
} {
  const { scope, attempt, turn, agent } = args;
  const model = args.model ?? turn.model;
  for (const warning of turn.warnings) attempt.warn(warning.code, ended(warning.text));
  warnAboutProcesses(attempt, agent, turn);
  const price = model === undefined ? undefined : scope.agents.priceOf(model);
  const spend = charge({ usage: turn.usage, price });
  const counts = budgetCounts(scope.header.budget);
  if (spend.unmetered === true && price === undefined && counts.dollars && scope.agents.firstTime(scope.run, `unmetered ${model ?? agent}`)) {
    attempt.warn('budget_unmetered', model === undefined ? `${agent} does not say which model it uses, so its dollars are not counted.` : `The price of ${model} is not known, so its dollars are not counted.`);
  }
  if (turn.outcome.class === 'success' && turn.usage === undefined && price !== undefined && (counts.dollars || counts.tokens)) {
    return {
      spend,
      refusal: {
        code: 'worker_error',
        text: `${agent} did not report what it used of ${model ?? 'its model'}, and the flow has a budget.`,
        hint: 'Let the agent report its usage, or take the budget out of the header.',
        completionReason: 'worker_error',
      },
    };
  }
  return { spend };
}

function budgetCounts(budget: FlowHeader['budget']): { readonly dollars: boolean; readonly tokens: boolean } {
  if (typeof budget === 'string') return { dollars: true, tokens: false };
  return { dollars: budget?.dollars !== undefined, tokens: budget?.tokens !== undefined };
}

function warnAboutProcesses(attempt: AttemptContext, agent: string, turn: AgentTurn): void {
  const left = turn.process?.leftRunning ?? [];
  if (left.length > 0) {
    attempt.warn('left_running', `${agent} left processes running, which were stopped with it: ${left.map(({ pid, command }) => `${command} (${pid})`).join(', ')}.`);
  }
  const survivors = turn.process?.survivors ?? [];
  if (survivors.length > 0) attempt.warn('survivors', `${agent} left processes that cannot be stopped: ${survivors.join(', ')}.`);
}
