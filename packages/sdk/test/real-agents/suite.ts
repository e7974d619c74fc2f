import { describe, test } from 'vitest';
import { agentConformance, type AgentConformanceOptions } from '../../src/agents/conformance.js';
import { cliAdapters } from '../../src/agents/clis/index.js';
import type { CliName } from './part-scenario.js';
import { setUpFor } from './real-agent.js';

/** How long a scenario may take: the slowest CLI repeats a refused request for more than a minute. */
const SCENARIO_MS = 300_000;

/** Registers the conformance suite for a real CLI. */
export function realAgentSuite(name: CliName, options: Pick<AgentConformanceOptions, 'startMs' | 'crowd' | 'exclusions' | 'lacks'>): void {
  const adapter = cliAdapters.find((candidate) => candidate.name === name);
  if (adapter === undefined) throw new Error(`There is no adapter for ${name}.`);
  describe(`${name} itself`, () => {
    agentConformance({
      ...options,
      adapter,
      test: (title, body) => test(title, body, SCENARIO_MS),
      leftOut: (title, reason) => test.skip(`${title} (${reason})`, () => undefined),
      setUp: setUpFor(name, adapter),
    });
  });
}
