import { commentScenarios } from './conformance/comments.js';
import { mailboxScenarios } from './conformance/mailboxes.js';
import { openingScenarios } from './conformance/opening.js';
import { pollScenarios } from './conformance/polling.js';
import { repeatScenarios } from './conformance/repeating.js';
import { mailboxes, type Scenario, type TaskSystemNeed, type TaskSystemSetUp } from './conformance/scenario.js';
import { stateScenarios } from './conformance/states.js';

export type { NewTicket, PersonsEdit, SeenTicket, TaskSystemNeed, TaskSystemSetUp } from './conformance/scenario.js';

export interface TaskSystemConformanceOptions {
  /** The task system, as it is called in what is left out: `files`. */
  readonly name: string;
  /** Registers a test, like `test` of most frameworks. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Makes a repository in a task system, without tickets; called for every test. */
  readonly setUp: () => Promise<TaskSystemSetUp>;
  /** What the task system or its set-up does not have, each with a reason. */
  readonly lacks?: Readonly<Partial<Record<TaskSystemNeed, string>>>;
  /** Names of scenarios that the implementation is known to fail, each with a reason. They are not registered; one that names no scenario is an error. */
  readonly exclusions?: Readonly<Record<string, string>>;
  /** Called for each scenario that is not registered, with the reason, so that it can be shown. */
  readonly leftOut?: (name: string, reason: string) => void;
}

const SCENARIOS: readonly Scenario[] = [...openingScenarios, ...pollScenarios, ...mailboxScenarios, ...stateScenarios, ...commentScenarios, ...repeatScenarios];

/** The suite that every task system passes. It needs no test framework of its own and checks with `node:assert`. */
export function taskSystemConformance({ name, test, setUp, lacks = {}, exclusions = {}, leftOut }: TaskSystemConformanceOptions): void {
  const unknown = Object.keys(exclusions).filter((title) => !SCENARIOS.some((scenario) => scenario.name === title));
  if (unknown.length > 0) throw new TypeError(`The conformance suite of task systems has no scenario ${unknown.join(', ')}.`);
  for (const scenario of SCENARIOS) {
    const reason = exclusions[scenario.name] ?? (scenario.needs ?? []).map((need) => lacks[need]).find((lack) => lack !== undefined);
    if (reason === undefined) test(`${name}: ${scenario.name}`, async () => await onStage(await setUp(), scenario.play));
    else leftOut?.(scenario.name, reason);
  }
}

async function onStage(setUp: TaskSystemSetUp, play: Scenario['play']): Promise<void> {
  const opened = [setUp.tasks];
  const another = () => {
    const tasks = setUp.another();
    opened.push(tasks);
    return tasks;
  };
  try {
    const tickets = await setUp.tasks.openRepo(setUp.repo);
    await play({
      ...setUp,
      another,
      tickets,
      afresh: async () => await another().openRepo(setUp.repo),
      async withMailboxes() {
        const ticket = await setUp.makeTicket({ title: 'Fix the login' });
        const { implement, review } = await tickets.ensureMailboxes({ ticket, mailboxes: mailboxes(ticket) });
        if (implement === undefined || review === undefined) throw new TypeError('ensureMailboxes answers with the key of every node.');
        return { ticket, implement, review };
      },
    });
  } finally {
    await Promise.all(opened.map((tasks) => tasks.close()));
    await setUp.tearDown();
  }
}
