import { endingScenarios } from './conformance/endings.js';
import { modelCallScenarios } from './conformance/model-calls.js';
import { recordScenarios } from './conformance/records.js';
import { refusalScenarios } from './conformance/refusals.js';
import type { AgentNeed, AgentPart, AgentSetUp, Scenario } from './conformance/scenario.js';
import { sessionScenarios } from './conformance/sessions.js';
import { onStage } from './conformance/stage.js';
import { turnScenarios } from './conformance/turns.js';
import type { AgentAdapter } from './port.js';

export type { AgentDeed, AgentNeed, AgentPart, AgentRefusal, AgentSetUp, ModelRequest } from './conformance/scenario.js';

export interface AgentConformanceOptions {
  /** Registers a test, like `test` of most frameworks. A scenario starts several processes: give it a few minutes. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** The adapter, to know what it can do. */
  readonly adapter: AgentAdapter;
  /** Makes an agent that plays a part; called for every test. */
  readonly setUp: (part: AgentPart) => Promise<AgentSetUp>;
  /** How long the agent may take until it does the first thing of its part, in milliseconds. Default 20,000. */
  readonly startMs?: number;
  /** How many model calls are made in the scenario about many of them. Default 20. */
  readonly crowd?: number;
  /** What the adapter or its set-up does not have, each with a reason. What the adapter's abilities say need not be repeated. */
  readonly lacks?: Readonly<Partial<Record<AgentNeed, string>>>;
  /** Names of scenarios that the implementation is known to fail, each with a reason. They are not registered; one that names no scenario is an error. */
  readonly exclusions?: Readonly<Record<string, string>>;
  /** Called for each scenario that is not registered, with the reason, so that it can be shown. */
  readonly leftOut?: (name: string, reason: string) => void;
}

const SCENARIOS: readonly Scenario[] = [...turnScenarios, ...recordScenarios, ...refusalScenarios, ...endingScenarios, ...sessionScenarios, ...modelCallScenarios];

/** The suite that every agent adapter passes. It needs no test framework of its own and checks with `node:assert`. */
export function agentConformance(options: AgentConformanceOptions): void {
  const { test, adapter, setUp, startMs = 20_000, crowd = 20, exclusions = {}, leftOut } = options;
  const unknown = Object.keys(exclusions).filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new TypeError(`The conformance suite has no scenario ${unknown.join(', ')}.`);
  const lacks = { ...lackedBy(adapter), ...options.lacks };
  for (const { name, needs = [], part, play } of SCENARIOS) {
    const reason = exclusions[name] ?? needs.map((need) => lacks[need]).find((lack) => lack !== undefined);
    if (reason !== undefined) leftOut?.(name, reason);
    else test(name, async () => await onStage(await setUp(part), { startMs, crowd }, play));
  }
}

function lackedBy({ name, abilities }: AgentAdapter): Partial<Record<AgentNeed, string>> {
  return {
    ...(abilities.resume === 'no' ? { sessions: `${name} keeps no sessions` } : {}),
    ...(abilities.choosesSessionId ? {} : { 'chosen session ids': `${name} chooses the ids of its sessions` }),
    ...(abilities.enforces.includes('accessPreset') ? {} : { readonly: `${name} cannot be held to accessPreset` }),
  };
}
