import { dirname } from 'node:path';
import {
  createAgentServices, createRedactor, findConfig, headerProblems, isFlowsError, loadSealed, preflightAgents, sealFlow,
  type AgentResolution, type FlowsError, type LoadedFlow, type Preflight, type SealedFlow,
} from '@relayflows/sdk';

/** A flow that could be loaded, and what keeps it from running. */
export interface CheckedFlow {
  readonly sealed: SealedFlow;
  readonly flow: LoadedFlow;
  readonly problems: readonly FlowsError[];
  readonly warnings: readonly { readonly code: string; readonly text: string }[];
  readonly resolutions: readonly AgentResolution[];
}

export interface CheckRequest {
  /** Absolute path of the flow file. */
  readonly path: string;
  /** Where a run would begin. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Loads a flow, validates its headers and asks its agents. Throws what loading throws; everything after that is collected. */
export async function checkFlow({ path, cwd, env }: CheckRequest): Promise<CheckedFlow> {
  const sealed = await sealFlow(path, { env });
  const flow = await loadSealed(sealed);
  const problems = [...headerProblems(flow)];
  let agents: Preflight = { resolutions: [], problems: [], warnings: [] };
  try {
    agents = await preflightAgents({
      agents: createAgentServices({ redact: createRedactor({ env }) }),
      headers: withChildren(flow).map(({ definition }) => definition.header),
      config: findConfig(dirname(sealed.path))?.config,
      run: { cwd, hostEnv: env },
      code: [sealed.root, ...sealed.children].map(({ code }) => code),
    });
  } catch (error) {
    if (!isFlowsError(error)) throw error;
    problems.push(error);
  }
  return { sealed, flow, problems: [...problems, ...agents.problems], warnings: agents.warnings, resolutions: agents.resolutions };
}

/** The names of the flows that a flow dispatches to, and of those that they dispatch to. */
export function namesOfChildren(flow: LoadedFlow): string[] {
  return withChildren(flow).slice(1).map(({ name }) => name);
}

function withChildren(flow: LoadedFlow): LoadedFlow[] {
  return [flow, ...[...flow.children.values()].flatMap(withChildren)];
}
