import { beginningAgainScenarios } from './conformance/beginning-again.js';
import { claimScenarios } from './conformance/claims.js';
import { mailboxScenarios } from './conformance/mailbox.js';
import { orderScenarios } from './conformance/order.js';
import { runScenarios } from './conformance/runs.js';
import type { Scenario } from './conformance/scenario.js';
import { stepScenarios } from './conformance/steps.js';
import { reopening } from './conformance/reopening.js';
import type { Journal } from './port.js';

/** What an implementation contributes to the suite. */
export interface JournalSetUp {
  /** Opens the journal. Called several times it opens what is stored once more, as another process would. The suite closes what it opens. */
  readonly open: () => Promise<Journal>;
  /** Removes everything, after all journals are closed. */
  readonly tearDown: () => Promise<void>;
}

export interface JournalConformanceOptions {
  /** Registers a test, like `test` of most frameworks. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Makes an empty journal; called for every test. */
  readonly setUp: () => Promise<JournalSetUp>;
  /** Names of scenarios that the implementation is known to fail, each with a reason. They are not registered; one that names no scenario is an error. */
  readonly exclusions?: Readonly<Record<string, string>>;
}

/**
 * The suite that every journal passes. It needs no test framework of its own and checks with `node:assert`.
 *
 * Every scenario that one journal object can show is registered a second time with the journal closed and opened again between any two calls.
 */
export function journalConformance({ test, setUp, exclusions = {} }: JournalConformanceOptions): void {
  const unknown = Object.keys(exclusions).filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) throw new TypeError(`The conformance suite has no scenario ${unknown.join(', ')}.`);
  for (const scenario of SCENARIOS) {
    if (scenario.name in exclusions) continue;
    test(scenario.name, () => play(scenario, setUp, false));
    if (scenario.needs !== 'lasting objects') test(`${scenario.name} (reopened between calls)`, () => play(scenario, setUp, true));
  }
}

const SCENARIOS: readonly Scenario[] = [...runScenarios, ...claimScenarios, ...stepScenarios, ...mailboxScenarios, ...beginningAgainScenarios, ...orderScenarios];

async function play(scenario: Scenario, setUp: JournalConformanceOptions['setUp'], reopened: boolean): Promise<void> {
  const { open, tearDown } = await setUp();
  const opened: Journal[] = [];
  const another = async (): Promise<Journal> => {
    const journal = reopened ? reopening(open) : await open();
    opened.push(journal);
    return journal;
  };
  try {
    await scenario.play({ journal: await another(), another });
  } finally {
    await Promise.all(opened.map((journal) => journal.close()));
    await tearDown();
  }
}
