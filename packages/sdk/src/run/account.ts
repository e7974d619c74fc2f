import { checkBudget, type Budget } from './budget.js';
import { FlowsError } from '../errors/flows-error.js';
import { addSpend, NOTHING_SPENT, type Spend } from './spend.js';

/** What a run has spent, and whether another attempt may start. A resumed run opens its account with what its journal says. */
export class Account {
  #spent: Spend = NOTHING_SPENT;
  readonly #budget: Budget | undefined;
  /** What all runs of this flow were charged today, this one included; asked only when the budget has a daily limit. */
  readonly #chargedToday: () => Promise<number>;

  constructor(budget: Budget | undefined, chargedToday: () => Promise<number>) {
    this.#budget = budget;
    this.#chargedToday = chargedToday;
  }

  get spent(): Spend {
    return this.#spent;
  }

  charge(spend: Spend | undefined): void {
    this.#spent = addSpend(this.#spent, spend);
  }

  /**
   * The refusal of an attempt, or `undefined` when it may start. Being exactly at a limit may start. `earlier` is what earlier attempts of the step
   * cost: until the step has an outcome, it is not part of what is charged today.
   */
  async refusal(stepId: string, earlier: Spend): Promise<FlowsError | undefined> {
    const budget = this.#budget;
    if (budget === undefined) return undefined;
    const dayMicroDollars = budget.dayMicroDollars === undefined ? 0 : (await this.#chargedToday()) + earlier.microDollars;
    const crossed = checkBudget({ budget, spent: this.#spent, dayMicroDollars });
    if (crossed.length === 0) return undefined;
    return new FlowsError('budget_exceeded', `${stepId} was not started: ${crossed.map((limit) => limit.message).join('; ')}.`, {
      hint: "Raise the flow's budget and run it again; what was done so far is in the journal.",
      completionReason: 'budget_exceeded',
      stepId,
      evidence: { crossed: crossed.map(({ limit }) => limit) },
    });
  }
}
