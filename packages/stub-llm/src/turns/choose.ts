import type { ApiName, Match, Scenario, Turn } from '../scenario/scenario.js';
import type { Question } from './prompt.js';

/** Chooses turns of a scenario and counts how often each was served. */
export class TurnChooser {
  readonly #turns: readonly Turn[];
  readonly #served: number[];

  constructor(scenario: Scenario) {
    this.#turns = scenario.turns ?? [];
    this.#served = this.#turns.map(() => 0);
  }

  /** The index of the turn that answers, counted as served; -1 when none fits or is left. */
  choose(question: Question, api: ApiName): number {
    const index = question.continuing ? this.#nextStep(question, api) : this.#firstStep(question, api);
    if (index >= 0) this.#served[index] = (this.#served[index] ?? 0) + 1;
    return index;
  }

  #firstStep(question: Question, api: ApiName): number {
    for (const start of this.#starts(question, api)) {
      const index = this.#pastSpent(start);
      if (!this.#isSpent(index)) return index;
    }
    return -1;
  }

  #nextStep(question: Question, api: ApiName): number {
    if (question.previous >= 0) return this.#inside(question.previous + 1);
    // The CLI did not keep our call ids: count the steps of this prompt.
    const [start] = this.#starts(question, api);
    let index = start ?? -1;
    for (let step = 0; step < question.step && index >= 0; step += 1) index = this.#inside(this.#pastSpent(index) + 1);
    return index;
  }

  #starts(question: Question, api: ApiName): readonly number[] {
    return [...this.#turns.keys()].filter((index) => this.#isStart(index) && fits(this.#turns[index]?.match ?? {}, question, api));
  }

  #isStart(index: number): boolean {
    return index === 0 || this.#turns[index]?.match !== undefined;
  }

  #isStep(index: number): boolean {
    return index < this.#turns.length && !this.#isStart(index);
  }

  /** The step at `index` of a block, or the one after it that is not spent; -1 past the end of the block. */
  #inside(index: number): number {
    return this.#isStep(index) ? this.#pastSpent(index) : -1;
  }

  #pastSpent(from: number): number {
    let index = from;
    while (this.#isSpent(index) && this.#breaks(index) && this.#isStep(index + 1)) index += 1;
    return index;
  }

  #isSpent(index: number): boolean {
    const times = this.#turns[index]?.times;
    return times !== undefined && (this.#served[index] ?? 0) >= times;
  }

  /** A turn that is no answer: the CLI asks again and shall get the one after it. */
  #breaks(index: number): boolean {
    const turn = this.#turns[index];
    return turn?.error !== undefined || turn?.drop !== undefined || turn?.raw !== undefined || turn?.malformed === true;
  }
}

function fits(match: Match, { user, conversation, model, side }: Question, api: ApiName): boolean {
  const history = (): string => conversation.messages.map(({ text }) => text).join('\n');
  return (
    (match.side ?? false) === side &&
    (match.api === undefined || match.api === api) &&
    has(user, match.user) &&
    has(conversation.system, match.system) &&
    has(model, match.model) &&
    (match.history === undefined || has(history(), match.history))
  );
}

function has(text: string, wanted: string | readonly string[] = []): boolean {
  return (typeof wanted === 'string' ? [wanted] : wanted).every((part) => text.includes(part));
}
