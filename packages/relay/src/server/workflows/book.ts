import { RelayError } from '../../errors/relay-error.js';
import { matchesFilters } from '../../task/config/filters.js';
import { resolveTaskConfig } from '../../task/config/resolve.js';
import type { WorkflowDefinition } from '../../workflow/definition.js';
import type { Candidate } from '../routing/route.js';
import type { WorkflowHealth } from '../answers.js';
import type { Workshop } from '../workshop.js';

/** A stored workflow as the server has it. */
export interface RegisteredWorkflow {
  readonly name: string;
  readonly yaml: string;
  /** Absent when the file cannot be read. */
  readonly definition?: WorkflowDefinition;
  readonly health: WorkflowHealth;
  readonly reason: string | null;
  readonly repair: string | null;
}

/** The stored workflows. Only healthy ones take tickets; one that is not does not keep the others from work. */
export class WorkflowBook {
  readonly #shop: Workshop;
  readonly #workflows = new Map<string, RegisteredWorkflow>();

  constructor(shop: Workshop) {
    this.#shop = shop;
  }

  put(workflow: RegisteredWorkflow): void {
    this.#workflows.set(workflow.name, workflow);
  }

  remove(name: string): void {
    this.#workflows.delete(name);
  }

  get(name: string): RegisteredWorkflow | undefined {
    return this.#workflows.get(name);
  }

  all(): readonly RegisteredWorkflow[] {
    return [...this.#workflows.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The definition that a new run walks. Throws `workflow_unknown`, or why it takes no tickets. */
  definition(name: string): WorkflowDefinition {
    const found = this.#workflows.get(name);
    if (found === undefined) throw new RelayError('workflow_unknown', `No workflow ${JSON.stringify(name)} is stored.`, { hint: 'List them with `relay-flow workflow list`.' });
    if (found.health !== 'healthy' || found.definition === undefined) {
      throw new RelayError('workflow_invalid', `Workflow ${name} is ${found.health}: ${found.reason ?? 'it cannot be used'}`, found.repair === null ? {} : { hint: found.repair });
    }
    return found.definition;
  }

  /** The workflows that may take tickets of a repository. */
  candidates(repoName: string): readonly Candidate[] {
    const repo = this.#shop.repos.get(repoName);
    return this.all().flatMap(({ definition, health }) => {
      if (health !== 'healthy' || definition === undefined || !definition.repos.includes(repoName)) return [];
      const config = resolveTaskConfig({ system: this.#shop.taskSystem, layers: { ...repo.layers, ...(definition.taskConfig === undefined ? {} : { workflow: definition.taskConfig }) } });
      return [{ name: definition.name, matches: (ticket) => matchesFilters(ticket, config, repo.task.owner === undefined ? {} : { self: [repo.task.owner] }) }];
    });
  }

  /** Names of the workflows that name a repository. */
  naming(repoName: string): readonly string[] {
    return this.all().filter(({ definition }) => definition?.repos.includes(repoName) === true).map(({ name }) => name);
  }
}
