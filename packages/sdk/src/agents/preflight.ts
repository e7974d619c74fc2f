import type { FlowHeader } from '@relayflows/surface';
import { isFlowsError, type FlowsError } from '../errors/flows-error.js';
import type { AgentServices, ProbePlace, ResolveRequest } from './services.js';
import type { AgentConfig } from './resolve.js';

/** A CLI that a flow will use, found and probed. */
export interface AgentResolution {
  /** The agent of the header; absent for the default of `flows.json`. */
  readonly agent?: string;
  readonly cli: string;
  readonly adapter: string;
  /** Absolute path. */
  readonly executable: string;
  readonly model?: string;
  readonly version?: string;
  readonly account?: string;
}

export interface Preflight {
  readonly resolutions: readonly AgentResolution[];
  /** Each refuses the run. */
  readonly problems: readonly FlowsError[];
  /** The default CLI of `flows.json` cannot be used; the steps that need it will say so. */
  readonly warnings: readonly { readonly code: 'agent_worker_unresolved'; readonly text: string }[];
}

export interface PreflightRequest {
  readonly agents: AgentServices;
  /** Of the flow and of its children. */
  readonly headers: readonly FlowHeader[];
  readonly config: AgentConfig | undefined;
  /** Pass the run's own facts, and nothing is probed a second time in the run. */
  readonly run: ProbePlace;
  /** The bundled source of the flow and its children: the default CLI of `flows.json` is looked at only where a body asks for agents or models. */
  readonly code: readonly string[];
  readonly signal?: AbortSignal;
}

/** A call of `f.agent` or `f.llm`, or the context taken apart into them, in bundled code. */
const ASKS = /\.\s*(?:agent|llm)\s*[(`]|\{[^{}]*\b(?:agent|llm)\b[^{}]*\}\s*(?:=[^=]|\))/;

/**
 * Resolves and probes every CLI that a flow names outside its body, all at once, before anything is journaled. Agents that only a body names are resolved
 * when their step starts. Rejects only when the signal aborts.
 */
export async function preflightAgents(request: PreflightRequest): Promise<Preflight> {
  const { agents, headers, config, run, signal } = request;
  const shared = { config, run, ...(signal === undefined ? {} : { signal }) };
  const asks = request.code.some((source) => ASKS.test(source));
  const named = headers.flatMap((header) => Object.keys(header.agents ?? {}).map((name) => ({ header, name })));
  const [ofHeaders, ofConfig] = await Promise.all([
    Promise.all(named.map(async ({ header, name }) => await attempt(agents, { ...shared, header, name }, name))),
    asks && config?.cli !== undefined ? attempt(agents, { ...shared, header: {}, anyModel: true }, undefined) : undefined,
  ]);
  const results = ofConfig === undefined ? ofHeaders : [...ofHeaders, ofConfig];
  const defaultProblem = ofConfig instanceof Error ? ofConfig : undefined;
  // With named agents the default may be for steps that name their own; without, it is what they use.
  const optional = named.length > 0;
  return {
    resolutions: results.filter((result): result is AgentResolution => !(result instanceof Error)),
    problems: unique(results.filter((result): result is FlowsError => result instanceof Error && !(optional && result === defaultProblem))),
    warnings: optional && defaultProblem !== undefined ? [{ code: 'agent_worker_unresolved', text: `The default CLI of flows.json cannot be used: ${defaultProblem.text}` }] : [],
  };
}

async function attempt(agents: AgentServices, request: ResolveRequest, name: string | undefined): Promise<AgentResolution | FlowsError> {
  try {
    const { adapter, identity, cli, model } = await agents.resolve(request);
    return {
      ...(name === undefined ? {} : { agent: name }),
      cli,
      adapter: adapter.name,
      executable: identity.executable,
      ...(model === undefined ? {} : { model }),
      ...(identity.version === undefined ? {} : { version: identity.version }),
      ...(identity.account === undefined ? {} : { account: identity.account }),
    };
  } catch (error) {
    if (isFlowsError(error) && error.code !== 'canceled') return error;
    throw error;
  }
}

/** Two agents of one CLI that is missing are one problem. */
function unique(errors: readonly FlowsError[]): FlowsError[] {
  return [...new Map(errors.map((error) => [error.message, error])).values()];
}
