import { createAgentServices, createRedactor, isFlowsError, type FlowsConfig, type FlowsError, type LoadedFlow } from '@relayflows/sdk';
import type { Resolution } from './resolution.js';

/** Name under which the default CLI of `flows.json` is reported. */
const DEFAULT_AGENT = 'default';

export interface FoundAgents {
  readonly resolutions: readonly Resolution[];
  readonly problems: readonly FlowsError[];
}

/**
 * Finds the coding-agent CLI of each agent that the headers of a flow and its children name, and the default one of `flows.json`, and asks
 * each whether it can be used. What is named at a step only is found when the step runs.
 */
export async function findAgents({ flow, config, cwd, env }: {
  readonly flow: LoadedFlow;
  readonly config: FlowsConfig | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<FoundAgents> {
  const services = createAgentServices({ redact: createRedactor({ env }) });
  const place = { cwd, hostEnv: env };
  const requests = [
    ...flows(flow).flatMap(({ definition: { header } }) => Object.keys(header.agents ?? {}).map((name) => ({ label: name, request: { name, header, config, run: place } }))),
    // Steps that use the default name their own model, or none.
    ...(config?.cli === undefined ? [] : [{ label: DEFAULT_AGENT, request: { header: {}, config, run: place, anyModel: true } }]),
  ];
  const resolutions: Resolution[] = [];
  const problems: FlowsError[] = [];
  await Promise.all(
    requests.map(async ({ label, request }) => {
      try {
        const { cli, model, identity } = await services.resolve(request);
        resolutions.push({
          name: label,
          cli,
          path: identity.executable,
          ...(model === undefined ? {} : { model }),
          ...(identity.version === undefined ? {} : { version: identity.version }),
        });
      } catch (error) {
        if (!isFlowsError(error)) throw error;
        problems.push(error);
      }
    }),
  );
  return { resolutions, problems };
}

function flows(root: LoadedFlow): LoadedFlow[] {
  return [root, ...[...root.children.values()].flatMap(flows)];
}
