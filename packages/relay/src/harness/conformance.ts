import { basicScenarios } from './conformance/basics.js';
import { endingScenarios } from './conformance/endings.js';
import { onStage } from './conformance/stage.js';
import type { HarnessNeed, HarnessSetUp, Scenario } from './conformance/scenario.js';
import { terminalScenarios } from './conformance/terminals.js';
import { turnScenarios } from './conformance/turns.js';

export type { AgentTurnPart, HarnessNeed, HarnessSetUp, SeenTurn } from './conformance/scenario.js';

export interface HarnessConformanceOptions {
  /** The harness, as it is called in what is left out: `command`. */
  readonly name: string;
  /** Registers a test, like `test` of most frameworks. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Makes a harness and an agent that plays a part; called for every test. */
  readonly setUp: () => Promise<HarnessSetUp>;
  /** What the harness or its set-up does not have, each with a reason. */
  readonly lacks: Readonly<Partial<Record<HarnessNeed, string>>>;
  /** Names of scenarios that the implementation is known to fail, each with a reason. They are not registered; one that names no scenario is an error. */
  readonly exclusions?: Readonly<Record<string, string>>;
  /** Called for each scenario that is not registered, with the reason, so that it can be shown. */
  readonly leftOut?: (name: string, reason: string) => void;
}

const SCENARIOS: readonly Scenario[] = [...basicScenarios, ...turnScenarios, ...endingScenarios, ...terminalScenarios];

/** The suite that every harness passes. It needs no test framework of its own and checks with `node:assert`. */
export function harnessConformance({ name, test, setUp, lacks, exclusions = {}, leftOut }: HarnessConformanceOptions): void {
  const unknown = Object.keys(exclusions).filter((title) => !SCENARIOS.some((scenario) => scenario.name === title));
  if (unknown.length > 0) throw new TypeError(`The conformance suite of harnesses has no scenario ${unknown.join(', ')}.`);
  for (const scenario of SCENARIOS) {
    const reason = exclusions[scenario.name] ?? (scenario.needs ?? []).map((need) => lacks[need]).find((lack) => lack !== undefined);
    if (reason === undefined) test(`${name}: ${scenario.name}`, async () => await onStage(await setUp(), scenario.play));
    else leftOut?.(scenario.name, reason);
  }
}
