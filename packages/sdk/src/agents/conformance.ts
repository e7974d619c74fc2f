import { endingScenarios } from './conformance/endings.js';
import type { AgentPart, AgentSetUp, Scenario } from './conformance/scenario.js';
import { onStage } from './conformance/stage.js';
import { turnScenarios } from './conformance/turns.js';
import type { AgentAdapter } from './port.js';

export type { AgentDeed, AgentPart, AgentSetUp } from './conformance/scenario.js';

export interface AgentConformanceOptions {
  /** Registers a test, like `test` of most frameworks. A scenario starts several processes: give it a minute. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** The adapter, to know what it can do. */
  readonly adapter: AgentAdapter;
  /** Makes an agent that plays a part; called for every test. */
  readonly setUp: (part: AgentPart) => Promise<AgentSetUp>;
  /** How long the agent may take until it does the first thing of its part, in milliseconds. Default 20,000. */
  readonly startMs?: number;
  /** Names of scenarios that the implementation is known to fail, each with a reason. They are not registered; one that names no scenario is an error. */
  readonly exclusions?: Readonly<Record<string, string>>;
}

const SCENARIOS: readonly Scenario[] = [...turnScenarios, ...endingScenarios];

/** The suite that every agent adapter passes. It needs no test framework of its own and checks with `node:assert`. */
export function agentConformance({ test, adapter, setUp, startMs = 20_000, exclusions = {} }: AgentConformanceOptions): void {
  const unknown = Object.keys(exclusions).filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new TypeError(`The conformance suite has no scenario ${unknown.join(', ')}.`);
  const { resume, choosesSessionId } = adapter.abilities;
  for (const { name, needs, part, play } of SCENARIOS) {
    if (name in exclusions || (needs === 'sessions' && resume === 'no') || (needs === 'chosen session ids' && !choosesSessionId)) continue;
    test(name, async () => await onStage(await setUp(part), startMs, play));
  }
}
