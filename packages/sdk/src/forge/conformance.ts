import assert from 'node:assert/strict';
import { changingScenarios } from './conformance/changing.js';
import { openingScenarios } from './conformance/opening.js';
import type { ForgeNeed, ForgeSetUp, Scenario } from './conformance/scenario.js';

export type { ForgeNeed, ForgeSetUp } from './conformance/scenario.js';

export interface ForgeConformanceOptions {
  /** Registers a test, like `test` of most frameworks. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Makes a repository on a forge, with nothing opened; called for every test. */
  readonly setUp: () => Promise<ForgeSetUp>;
  /** What the forge or its set-up does not have, each with a reason. */
  readonly lacks?: Readonly<Partial<Record<ForgeNeed, string>>>;
  /** Names of scenarios that the implementation is known to fail, each with a reason. They are not registered; one that names no scenario is an error. */
  readonly exclusions?: Readonly<Record<string, string>>;
  /** Called for each scenario that is not registered, with the reason, so that it can be shown. */
  readonly leftOut?: (name: string, reason: string) => void;
}

const SCENARIOS: readonly Scenario[] = [...openingScenarios, ...changingScenarios];

/** The suite that every forge passes. It needs no test framework of its own and checks with `node:assert`. */
export function forgeConformance({ test, setUp, lacks = {}, exclusions = {}, leftOut }: ForgeConformanceOptions): void {
  const unknown = Object.keys(exclusions).filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new TypeError(`The conformance suite has no scenario ${unknown.join(', ')}.`);
  for (const { name, needs = [], play } of SCENARIOS) {
    const reason = exclusions[name] ?? needs.map((need) => lacks[need]).find((lack) => lack !== undefined);
    if (reason === undefined) test(name, async () => await onStage(await setUp(), play));
    else leftOut?.(name, reason);
  }
}

async function onStage(setUp: ForgeSetUp, play: Scenario['play']): Promise<void> {
  try {
    await play({
      ...setUp,
      async only(branch) {
        const [change, ...more] = await setUp.look(branch);
        assert.ok(change !== undefined, `${branch} has a change`);
        assert.deepEqual(more, [], `${branch} has one change`);
        return change;
      },
    });
  } finally {
    await setUp.tearDown();
  }
}
