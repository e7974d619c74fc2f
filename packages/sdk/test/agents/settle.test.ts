import { describe, expect, it } from 'vitest';
import type { FlowHeader } from '@relayflows/surface';
import type { AgentTurn } from '../../src/agents/port.js';
import { createAgentServices } from '../../src/agents/services.js';
import { settleTurn } from '../../src/agents/settle.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import type { AttemptContext } from '../../src/run/step-spec.js';
import type { VerbScope } from '../../src/run/verb-scope.js';

const priced = createAgentServices({ redact: createRedactor({ env: {} }), priceOf: (model) => (model === 'known' ? { input: 3, output: 15 } : undefined) });
const usage = { inputTokens: 100, outputTokens: 10 };

function settle(turn: Partial<AgentTurn>, model: string | undefined, budget: FlowHeader['budget'], scope?: VerbScope) {
  const warnings: string[] = [];
  const header: FlowHeader = budget === undefined ? {} : { budget };
  const run = { runId: 'r', flowName: 'f', cwd: '/', dataDir: '/', hostEnv: {} };
  const settled = settleTurn({
    scope: scope ?? { header, config: undefined, run, agents: priced },
    attempt: { warn: (code: string) => warnings.push(code) } as unknown as AttemptContext,
    turn: { outcome: { class: 'success', message: 'x' }, warnings: [], ...turn }, model, agent: 'agent "a"',
  });
  return { ...settled, warnings };
}

describe('settleTurn', () => {
  it('charges a known price', () => {
    expect(settle({ usage }, 'known', '$1/run')).toEqual({ spend: { tokens: 110, microDollars: 450 }, warnings: [] });
  });

  it.each(['$1/run', '$1/day', { dollars: 1 }, { tokens: 5 }])('refuses a success of a priced model without usage under the budget %j', (budget) => {
    expect(settle({}, 'known', budget)).toMatchObject({ refusal: { code: 'worker_error' }, warnings: [] });
  });

  it('lets it pass when nothing counts tokens or dollars, or when it failed anyway', () => {
    expect(settle({}, 'known', undefined)).not.toHaveProperty('refusal');
    expect(settle({}, 'known', { wallclock: '1h' })).not.toHaveProperty('refusal');
    expect(settle({ outcome: { class: 'failed', code: 'worker_error', text: 'x' } }, 'known', '$1/run')).not.toHaveProperty('refusal');
  });

  it('warns once per run and model that dollars are not counted, and only when they have a limit', () => {
    const scope: VerbScope = { header: { budget: '$1/run' }, config: undefined, run: { runId: 'r', flowName: 'f', cwd: '/', dataDir: '/', hostEnv: {} }, agents: priced };
    expect(settle({ usage }, 'unknown', undefined, scope)).toEqual({ spend: { tokens: 110, microDollars: 0, unmetered: true }, warnings: ['budget_unmetered'] });
    expect(settle({ usage }, 'unknown', undefined, scope).warnings).toEqual([]);
    expect(settle({ usage }, undefined, undefined, scope).warnings).toEqual(['budget_unmetered']);
    expect(settle({ usage }, 'unknown', { tokens: 5 }).warnings).toEqual([]);
  });

  it('passes on what an agent left running', () => {
    const ended = { leftRunning: [{ pid: 7, command: 'sleep' }], survivors: [8] } as unknown as NonNullable<AgentTurn['process']>;
    expect(settle({ process: ended, usage }, 'known', undefined).warnings).toEqual(['left_running', 'survivors']);
  });
});
