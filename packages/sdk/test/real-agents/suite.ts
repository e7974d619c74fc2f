import { describe, test } from 'vitest';
import { agentConformance, type AgentConformanceOptions } from '../../src/agents/conformance.js';
import { cliAdapters } from '../../src/agents/clis/index.js';
import { flowScenarios } from './flow-scenarios.js';
import { scenarioOf, type CliName } from './part-scenario.js';
import { seenBy, setUpFor, startAgent } from './real-agent.js';

/** How long a scenario may take: the slowest CLI repeats a refused request for more than a minute. */
const SCENARIO_MS = 300_000;

export interface RealAgentSuite extends Pick<AgentConformanceOptions, 'crowd' | 'exclusions' | 'lacks'> {
  readonly startMs: number;
  /** The CLI states what it costs, or its model here has a price. */
  readonly dollars: boolean;
  /** Scenarios in which the CLI waits for more than a minute until it gives up: they wait beside each other. */
  readonly patient?: RegExp;
}

/** Registers the conformance suite for a real CLI, and flows that use it. */
export function realAgentSuite(name: CliName, options: RealAgentSuite): void {
  const adapter = cliAdapters.find((candidate) => candidate.name === name);
  if (adapter === undefined) throw new Error(`There is no adapter for ${name}.`);
  const { dollars, patient, ...suite } = options;
  const timed = (title: string, body: () => Promise<void>): void => (patient?.test(title) === true ? test.concurrent : test)(title, body, SCENARIO_MS);
  describe(`${name} itself`, () => {
    agentConformance({
      ...suite,
      adapter,
      test: timed,
      leftOut: (title, reason) => test(title, ({ skip }) => skip(reason)),
      setUp: setUpFor(name, adapter),
    });
  });
  describe(`${name} in a flow`, () => {
    flowScenarios({
      test: timed,
      startMs: options.startMs,
      sessions: adapter.abilities.resume !== 'no',
      record: true,
      dollars,
      start: async (part) => {
        const agent = await startAgent(name, scenarioOf(part, name), { signedIn: part.signedIn });
        return { name, executable: agent.executable, hostEnv: agent.hostEnv, ...seenBy(agent), stop: agent.stop };
      },
    });
  });
}
