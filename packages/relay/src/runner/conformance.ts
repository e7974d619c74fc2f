import { repositoryScenarios } from './conformance/repositories.js';
import type { Runner } from './port.js';
import type { RunnerNeed, RunnerSetUp, Scenario } from './conformance/scenario.js';
import { sendScenarios } from './conformance/sending.js';
import { terminalScenarios } from './conformance/terminals.js';
import { workspaceScenarios } from './conformance/workspaces.js';
import { unsavedScenarios } from './conformance/unsaved.js';

export type { RunnerNeed, RunnerSetUp } from './conformance/scenario.js';

export interface RunnerConformanceOptions {
  /** The runner, as it is called in what is left out: `worktree`. */
  readonly name: string;
  /** Registers a test, like `test` of most frameworks. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Makes a repository and a runner that does not know it yet; called for every test. */
  readonly setUp: () => Promise<RunnerSetUp>;
  /** What the runner or its set-up does not have, each with a reason. */
  readonly lacks?: Readonly<Partial<Record<RunnerNeed, string>>>;
  /** Names of scenarios that the implementation is known to fail, each with a reason. They are not registered; one that names no scenario is an error. */
  readonly exclusions?: Readonly<Record<string, string>>;
  /** Called for each scenario that is not registered, with the reason, so that it can be shown. */
  readonly leftOut?: (name: string, reason: string) => void;
}

const SCENARIOS: readonly Scenario[] = [...repositoryScenarios, ...workspaceScenarios, ...unsavedScenarios, ...terminalScenarios, ...sendScenarios];

/** The suite that every runner passes. It needs git, but no test framework of its own, and checks with `node:assert`. */
export function runnerConformance({ name, test, setUp, lacks = {}, exclusions = {}, leftOut }: RunnerConformanceOptions): void {
  const unknown = Object.keys(exclusions).filter((title) => !SCENARIOS.some((scenario) => scenario.name === title));
  if (unknown.length > 0) throw new TypeError(`The conformance suite of runners has no scenario ${unknown.join(', ')}.`);
  for (const scenario of SCENARIOS) {
    const reason = exclusions[scenario.name] ?? (scenario.needs ?? []).map((need) => lacks[need]).find((lack) => lack !== undefined);
    if (reason === undefined) test(`${name}: ${scenario.name}`, async () => await onStage(await setUp(), scenario.play));
    else leftOut?.(scenario.name, reason);
  }
}

async function onStage(setUp: RunnerSetUp, play: Scenario['play']): Promise<void> {
  try {
    const known = async (): Promise<Runner> => {
      await setUp.runner.ensureRepo(setUp.repo);
      return setUp.runner;
    };
    await play({ ...setUp, known, at: (ticket) => ({ repo: setUp.repo, ticket }) });
  } finally {
    await setUp.tearDown();
  }
}
