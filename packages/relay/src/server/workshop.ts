import type { Clock } from '@relayflows/sdk';
import { RelayError } from '../errors/relay-error.js';
import type { RelayConfig } from '../host/config-types.js';
import type { Harness } from '../harness/port.js';
import type { HeadlessRunner } from '../harness/headless/runner.js';
import type { Runner } from '../runner/port.js';
import type { RelayStore } from '../store/store.js';
import type { TaskProblem, TaskRepo, TaskSystem } from '../task/port.js';
import type { TaskConfigLayer } from '../task/task-config.js';
import type { ServerLog } from '../host/server-log.js';
import type { Gate } from '../queues/gate.js';

/** What the server's parts work with. One per server. */
export interface Workshop {
  readonly config: RelayConfig;
  /** Absolute path of the home. */
  readonly home: string;
  readonly clock: Clock;
  readonly store: RelayStore;
  readonly taskSystem: TaskSystem;
  readonly runner: Runner;
  readonly harness: Harness;
  /** Turns of headless harnesses. */
  readonly headless: HeadlessRunner;
  readonly repos: Repos;
  readonly log: ServerLog;
  /** Absolute path of the executable that agents in terminals report with; absent: `relay-flow` on their PATH. */
  readonly command?: string | undefined;
  /** At most 20 activities at once. */
  readonly gate: Gate;
}

export interface OpenRepo {
  readonly name: string;
  readonly path: string;
  readonly task: TaskRepo;
  readonly layers: { readonly root: TaskConfigLayer; readonly repo: TaskConfigLayer };
}

/** The registered repositories. One that cannot be opened does not keep the others from work. */
export class Repos {
  readonly #open = new Map<string, OpenRepo>();
  readonly #problems = new Map<string, RelayError>();
  readonly #pollFailures = new Map<string, string>();
  readonly #claimProblems = new Map<string, readonly TaskProblem[]>();

  put(repo: OpenRepo): void {
    this.#problems.delete(repo.name);
    this.#open.set(repo.name, repo);
  }

  fail(name: string, error: RelayError): void {
    this.#open.delete(name);
    this.#problems.set(name, error);
  }

  remove(name: string): void {
    this.#open.delete(name);
    this.#pollFailures.delete(name);
    this.#claimProblems.delete(name);
    this.#problems.delete(name);
  }

  /** Throws why it cannot be used, or `repo_unknown`. */
  get(name: string): OpenRepo {
    const repo = this.#open.get(name);
    if (repo !== undefined) return repo;
    throw this.#problems.get(name) ?? new RelayError('repo_unknown', `No repository ${JSON.stringify(name)} is registered.`, { hint: 'Register it with `relay-flow repo register`.' });
  }

  /** One that can be used. */
  known(name: string): OpenRepo | undefined {
    return this.#open.get(name);
  }

  all(): readonly OpenRepo[] {
    return [...this.#open.values()];
  }

  /** Why its tickets are not looked at: it could not be opened, or the last look failed. A sentence. */
  problem(name: string): string | undefined {
    const found = this.#problems.get(name)?.text ?? this.#pollFailures.get(name);
    return found === undefined && !this.#open.has(name) ? 'It was written into config.yaml while the server ran, and is used after the next start.' : found;
  }

  /** What the last look at its tickets came to. Answers whether that is news. */
  polled(name: string, failure: string | undefined): boolean {
    const before = this.#pollFailures.get(name);
    if (failure === undefined) this.#pollFailures.delete(name);
    else this.#pollFailures.set(name, failure);
    return (before === undefined) !== (failure === undefined);
  }

  /** What the last look found about claims that nobody can follow. */
  claimProblems(name: string, problems: readonly TaskProblem[]): void {
    this.#claimProblems.set(name, problems);
  }

  /** What the last look at the tickets found that only a person can put right. */
  ticketProblems(name: string): readonly TaskProblem[] {
    return [...(this.#open.get(name)?.task.problems?.() ?? []), ...(this.#claimProblems.get(name) ?? [])];
  }

  /** Those that could not be opened. */
  get problems(): ReadonlyMap<string, RelayError> {
    return this.#problems;
  }
}
