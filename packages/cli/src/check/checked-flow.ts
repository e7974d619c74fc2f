import { dirname } from 'node:path';
import { findConfig, headerProblems, isFlowsError, loadSealed, sealFlow, type FlowsError, type LoadedFlow, type SealedFlow } from '@relayflows/sdk';
import { findAgents } from './find-agents.js';
import type { Resolution } from './resolution.js';

/** A flow that could be loaded, and what keeps it from running. */
export interface CheckedFlow {
  readonly sealed: SealedFlow;
  readonly flow: LoadedFlow;
  readonly problems: readonly FlowsError[];
  readonly resolutions: readonly Resolution[];
}

/** Loads a flow, validates its headers and finds its agents. Throws what loading throws; everything after that is collected. */
export async function checkFlow({ path, cwd, env }: { readonly path: string; readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> }): Promise<CheckedFlow> {
  const sealed = await sealFlow(path, { env });
  const flow = await loadSealed(sealed);
  const problems = [...headerProblems(flow)];
  const resolutions: Resolution[] = [];
  try {
    const config = findConfig(dirname(sealed.path))?.config;
    const agents = await findAgents({ flow, config, cwd, env });
    problems.push(...agents.problems);
    resolutions.push(...agents.resolutions);
  } catch (error) {
    if (!isFlowsError(error)) throw error;
    problems.push(error);
  }
  return { sealed, flow, problems, resolutions };
}

/** The flows that a flow dispatches to, and those that they dispatch to. */
export function namesOf(flow: LoadedFlow): string[] {
  return [...flow.children.values()].flatMap((child) => [child.name, ...namesOf(child)]);
}
