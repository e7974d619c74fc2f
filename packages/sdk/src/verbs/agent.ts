import type { AgentOptions } from '@relayflows/surface';
import { attemptAgent } from '../agents/attempt.js';
import { retryAgent } from '../agents/continuation.js';
import { planAgent, type AgentPlan } from '../agents/options.js';
import type { JsonValue } from '../ports/json.js';
import type { StepSpec } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';

/**
 * `f.agent`: a coding agent at work, as a step. Throws at the call for options it does not accept. Which CLI it is, whether it is installed and signed
 * in is found out when the step starts: a recorded step needs none of it.
 */
export function lowerAgent(scope: VerbScope, name: string, options: AgentOptions): StepSpec {
  const plan = planAgent(name, options);
  return {
    kind: 'agent',
    label: plan.name,
    request: requestOf(plan, scope),
    action: {
      mode: 'effect',
      onCrash: plan.onCrash,
      // With a time limit there is one iteration, so what is repeated is the same turn.
      ...(plan.timeoutMs === undefined ? {} : { timeoutMs: plan.timeoutMs, timeoutSpansAttempts: true }),
      retry: (failure) => retryAgent(plan, failure),
      execute: (attempt) => attemptAgent(scope, plan, attempt),
    },
  };
}

/**
 * Everything the flow itself says about the step, with defaults left out. What `flows.json` adds is not part of it: another default CLI does not make
 * a recorded step another step.
 */
function requestOf(plan: AgentPlan, scope: VerbScope): JsonValue {
  const { agents } = scope.header;
  const named = agents !== undefined && Object.hasOwn(agents, plan.name) ? agents[plan.name] : undefined;
  const cli = plan.cli ?? named?.cli;
  const model = plan.model ?? named?.model;
  return {
    task: plan.task,
    ...(cli === undefined ? {} : { cli }),
    ...(model === undefined ? {} : { model }),
    ...(plan.cwd === undefined ? {} : { cwd: plan.cwd }),
    ...(plan.timeoutMs === undefined ? {} : { timeoutMs: plan.timeoutMs }),
    ...(plan.transport === 'direct' ? {} : { transport: plan.transport }),
    ...(plan.maxIterations === 1 ? {} : { maxIterations: plan.maxIterations }),
    ...(plan.transportRetries === 1 ? {} : { transportRetries: plan.transportRetries }),
    ...(plan.recoveryMode === 'reset' ? {} : { recoveryMode: plan.recoveryMode }),
    ...(plan.permissions === undefined ? {} : { permissions: plan.permissions as JsonValue }),
    ...(plan.resume === undefined ? {} : { resume: plan.resume }),
    ...(plan.onCrash === 'rerun' ? {} : { onCrash: plan.onCrash }),
  };
}
