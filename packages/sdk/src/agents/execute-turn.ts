import type { AgentRequest, AgentTurn, AgentUsage } from './port.js';
import type { ResolvedAgent } from './services.js';

/**
 * Lets an adapter take a turn. An adapter that throws is a bug of it, and what its agent did and cost until then still counts: the failure is an
 * outcome, and the usage and the model that were reported on the way stand where the turn has none.
 */
export async function executeTurn(agent: ResolvedAgent, request: AgentRequest): Promise<AgentTurn> {
  let seen: AgentUsage | undefined;
  let model: string | undefined;
  const turn = await outcomeOf(agent, {
    ...request,
    onEvent: (event) => {
      if (event.type === 'model') ({ model } = event);
      if (event.type === 'usage') {
        const { type: _type, ...usage } = event;
        seen = usage;
      }
      request.onEvent(event);
    },
  });
  return { ...(seen === undefined ? {} : { usage: seen }), ...(model === undefined ? {} : { model }), ...turn };
}

async function outcomeOf(agent: ResolvedAgent, request: AgentRequest): Promise<AgentTurn> {
  try {
    return await agent.adapter.execute(request);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return {
      outcome: { class: 'failed', code: 'worker_error', text: `the adapter "${agent.adapter.name}" broke: ${said}`, hint: 'This is a bug of the adapter; please report it.' },
      warnings: [],
    };
  }
}
