import { isRelayError, RelayError } from '../../errors/relay-error.js';
import type { JiraClient } from './client/client.js';
import { issueAt, issuePath } from './issues.js';
import { readTransitions, type JiraIssue, type JiraTransition } from './shapes.js';

/** A way to a status. */
interface Move {
  readonly id: string;
  /** Its screen takes an assignee. */
  readonly takesAssignee: boolean;
  readonly cached: boolean;
}

/** An administrator may give the id of a transition to another. */
const KEPT_MS = 15 * 60_000;

/** What is to become of an issue: read and known to be possible, not yet done. */
export interface Plan {
  readonly issue: JiraIssue;
  readonly status: string | undefined;
  readonly move: Move | undefined;
}

/** Brings issues to statuses. Statuses are matched by where a transition leads, to the letter; the name of a transition says nothing. */
export class Moves {
  readonly #client: JiraClient;
  readonly #project: string;
  readonly #known = new Map<string, { readonly move: Move; readonly until: number }>();

  constructor(client: JiraClient, project: string) {
    this.#client = client;
    this.#project = project;
  }

  /** Reads the issue and looks for a way. Throws `task_conflict` when there is none. */
  async plan(key: string, status: string | undefined): Promise<Plan> {
    const issue = await issueAt(this.#client, key);
    if (status === undefined || issue.fields.status.name === status) return { issue, status, move: undefined };
    const known = this.#known.get(this.#place(issue, status));
    return { issue, status, move: known !== undefined && known.until > this.#client.now() ? { ...known.move, cached: true } : await this.#look(issue, status) };
  }

  /** Takes the way. Answers with whether the assignee was set with it. */
  async take({ issue, status, move }: Plan, assign: string | undefined): Promise<{ readonly assigned: boolean }> {
    if (move === undefined || status === undefined) return { assigned: false };
    try {
      return await this.#go(issue, move, assign);
    } catch (error) {
      if (!isRelayError(error) || error.kind === 'transient' || error.kind === 'auth' || error.kind === 'permission') throw error;
      // What was known may be out of date, or somebody was faster.
      this.#known.delete(this.#place(issue, status));
      const again = await this.plan(issue.key, status);
      if (again.move === undefined) return { assigned: false };
      if (!move.cached && again.issue.fields.status.name === issue.fields.status.name) throw error;
      return await this.#go(again.issue, again.move, assign);
    }
  }

  async #go({ key }: JiraIssue, move: Move, assign: string | undefined): Promise<{ readonly assigned: boolean }> {
    const withAssignee = assign !== undefined && move.takesAssignee;
    await this.#client.send({
      method: 'POST', path: issuePath(key, 'transitions'), about: key,
      body: { transition: { id: move.id }, ...(withAssignee ? { fields: { assignee: { accountId: assign } } } : {}) },
    });
    return { assigned: withAssignee };
  }

  async #look(issue: JiraIssue, status: string): Promise<Move> {
    const transitions = await this.#client.send({ method: 'GET', path: issuePath(issue.key, 'transitions'), query: { expand: 'transitions.fields' }, about: `the transitions of ${issue.key}`, read: readTransitions });
    const [found] = transitions.filter(({ to }) => to.name === status).toSorted((a, b) => demands(a) - demands(b));
    if (found === undefined) throw outOfReach(issue, status, transitions);
    const move = { id: found.id, takesAssignee: found.fields?.['assignee'] !== undefined, cached: false };
    this.#known.set(this.#place(issue, status), { move, until: this.#client.now() + KEPT_MS });
    return move;
  }

  #place({ fields }: JiraIssue, status: string): string {
    return JSON.stringify([this.#project, fields.issuetype.name, fields.status.name, status]);
  }
}

/** How many fields of its screen somebody would have to fill in. */
function demands({ fields = {} }: JiraTransition): number {
  return Object.entries(fields).filter(([name, { required, hasDefaultValue }]) => name !== 'assignee' && required === true && hasDefaultValue !== true).length;
}

function outOfReach({ key, fields }: JiraIssue, status: string, transitions: readonly JiraTransition[]): RelayError {
  const ways = [...new Set(transitions.map(({ to }) => JSON.stringify(to.name)))];
  return new RelayError('task_conflict', `${key} is ${JSON.stringify(fields.status.name)}, and from there no transition leads to ${JSON.stringify(status)}.`, {
    hint: `Move ${key} to ${JSON.stringify(status)} in Jira. ${ways.length === 0 ? 'The account of the server can move it nowhere from here.' : `From here the account of the server can move it to ${ways.join(', ')}.`}`,
    evidence: { key, status: fields.status.name, wanted: status },
  });
}
