import { isRelayError, type RelayError } from '../../errors/relay-error.js';
import { taskConfigError, type TaskConfigProblem } from './problem.js';

/** Gathers what is wrong with settings, so that somebody hears of all of it at once. */
export class Complaints {
  readonly #problems: TaskConfigProblem[] = [];

  /** What is wrong, as a sentence, and what to do, as another; where it stands in the merged settings, when that is known. */
  add(text: string, hint: string, path = ''): void {
    this.#put({ path, scope: undefined, text, hint });
  }

  /** Everything that was gathered. */
  get problems(): readonly TaskConfigProblem[] {
    return this.#problems;
  }

  /** Keeps what a check refuses as `task_config_invalid`, and throws everything else. Answers with what the check does, `undefined` when it refused. */
  of<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      this.#keep(error);
      return undefined;
    }
  }

  /** The same for a check that takes its time. */
  async whether<T>(check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      this.#keep(error);
      return undefined;
    }
  }

  get any(): boolean {
    return this.#problems.length > 0;
  }

  /** Throws {@link refusal} when something was gathered. */
  refuse(): void {
    if (this.any) throw this.refusal();
  }

  /** `task_config_invalid` with everything that was gathered. */
  refusal(): RelayError {
    return taskConfigError(this.#problems);
  }

  #keep(error: unknown): void {
    if (!isRelayError(error) || error.code !== 'task_config_invalid') throw error;
    const { text, hint = '', evidence: { problems } } = error;
    for (const problem of Array.isArray(problems) ? (problems as readonly TaskConfigProblem[]) : [{ path: '', scope: undefined, text, hint }]) this.#put(problem);
  }

  /** What holds for many nodes is said once. */
  #put(problem: TaskConfigProblem): void {
    if (!this.#problems.some(({ text }) => text === problem.text)) this.#problems.push(problem);
  }
}
