import type { AttemptContext } from '../run/step-spec.js';
import type { VerbScope } from '../run/verb-scope.js';
import type { AgentRequest } from './port.js';
import { runVariables } from './run-variables.js';
import type { ResolvedAgent } from './services.js';

/** What an adapter is given for every turn of an attempt, whatever is asked of the agent. */
export function turnRequest({ scope, attempt, agent }: { readonly scope: VerbScope; readonly attempt: AttemptContext; readonly agent: ResolvedAgent }): Omit<AgentRequest, 'mode' | 'task' | 'cwd' | 'onEvent'> {
  return {
    identity: agent.identity,
    hostEnv: attempt.run.hostEnv,
    runEnv: runVariables(attempt),
    marker: attempt.marker,
    now: () => attempt.clock.now(),
    supervise: scope.agents.supervise,
    redaction: () => attempt.redact.stream(),
    signal: attempt.signal,
    ...(agent.model === undefined ? {} : { model: agent.model }),
    ...(scope.agents.outcomeGraceMs === undefined ? {} : { outcomeGraceMs: scope.agents.outcomeGraceMs }),
    onSpawn: (process) => attempt.progress({ processes: [process] }),
  };
}
