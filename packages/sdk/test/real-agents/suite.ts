import { describe, test } from 'vitest';
import { cliAdapters } from '../../src/agents/clis/index.js';
import { agentConformance } from '../../src/agents/conformance.js';
import type { AgentAdapter } from '../../src/agents/port.js';
import { flowScenarios } from './flow-scenarios.js';
import { scenarioOf, type CliName } from './part-scenario.js';
import { seenBy, setUpFor, startAgent } from './real-agent.js';
import { SETTINGS } from './settings.js';

/** How long a scenario may take: the slowest CLI repeats a refused request for more than a minute. */
const SCENARIO_MS = 300_000;

/** Registers the conformance suite for a real CLI. */
export function realAgentSuite(name: CliName): void {
  const { startMs, crowd, patient } = SETTINGS[name];
  const adapter = adapterOf(name);
  describe(`${name} itself`, () => {
    agentConformance({
      adapter, startMs, crowd,
      test: (title, body) => (patient?.test(title) === true ? test.concurrent : test)(title, body, SCENARIO_MS),
      leftOut: (title, reason) => test(title, ({ skip }) => skip(reason)),
      setUp: setUpFor(name, adapter),
    });
  });
}

/** Registers flows that use a real CLI. */
export function realAgentFlows(name: CliName): void {
  const { startMs, dollars } = SETTINGS[name];
  describe(`${name} in a flow`, () => {
    flowScenarios({
      startMs, dollars,
      test: (title, body) => test(title, body, SCENARIO_MS),
      sessions: adapterOf(name).abilities.resume !== 'no',
      record: true,
      start: async (part) => {
        const agent = await startAgent(name, scenarioOf(part, name), { signedIn: part.signedIn });
        return { name, executable: agent.executable, hostEnv: agent.hostEnv, ...seenBy(agent), stop: agent.stop };
      },
    });
  });
}

function adapterOf(name: CliName): AgentAdapter {
  const adapter = cliAdapters.find((candidate) => candidate.name === name);
  if (adapter === undefined) throw new Error(`There is no adapter for ${name}.`);
  return adapter;
}
