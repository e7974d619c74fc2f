import { RelayError } from '../../errors/relay-error.js';
import { PROBE_MS, readRows, subjectOf, type Bd, type BdAnswer, type BdCall } from './call.js';
import { bdError, malformed, noIssue } from './failure.js';
import { canBeId, commentShape, createdShape, issueShape, type Issue } from './issue.js';
import { UNFINISHED } from './status.js';

/** What `update` may change. Absent: left alone. */
export interface IssueChange {
  readonly status?: string;
  /** Empty: nobody. */
  readonly assignee?: string;
  readonly description?: string;
  readonly addLabels?: readonly string[];
  readonly clearDeferral?: boolean;
}

/** The commands of `bd` that are needed, in one workspace, from one repository. */
export class Workspace {
  readonly directory: string;
  readonly #cwd: string;
  readonly #bd: Bd;

  constructor({ directory, cwd, bd }: { readonly directory: string; readonly cwd: string; readonly bd: Bd }) {
    this.directory = directory;
    this.#cwd = cwd;
    this.#bd = bd;
  }

  /** Whether it answers. */
  async probe(signal?: AbortSignal): Promise<void> {
    await this.#list(['--ready', '--limit', '1', '--no-parent'], { timeoutMs: PROBE_MS, signal });
  }

  /** What can be begun: open, not blocked, not deferred. Lists end after 50 rows unless they are told not to. */
  async ready(signal: AbortSignal): Promise<readonly Issue[]> {
    return await this.#list(['--ready', '--no-parent', '--limit', '0'], { signal });
  }

  /** What carries a claim and is not done. A second `--status` would replace the first, so there is one. */
  async claimed(signal: AbortSignal): Promise<readonly Issue[]> {
    return await this.#list(['--no-parent', '--status', UNFINISHED, '--label-pattern', 'wf:*', '--limit', '0'], { signal });
  }

  async children(ticket: string): Promise<readonly Issue[]> {
    const rows = await this.#list(['--parent', ticket, '--all', '--limit', '0'], { ticket });
    // One that does not tell its parent was asked for by it.
    return rows.filter(({ id, parent }) => id !== ticket && (parent === ticket || parent === ''));
  }

  /** `bd` also takes an id without its prefix, or a part of one: only the exact one is meant here. */
  async show(id: string): Promise<Issue | undefined> {
    if (!canBeId(id)) return undefined;
    const call = this.#call('show', { about: id });
    const answer = await this.#bd.ask(call);
    if (!answer.ok) {
      if (answer.failure.cause === 'no-issue') return undefined;
      throw bdError(answer.failure, subjectOf(call));
    }
    return readRows(answer.stdout, issueShape, subjectOf(call)).find((issue) => issue.id === id);
  }

  /** Texts of all comments, in order. Throws `task_missing`. */
  async comments(id: string): Promise<readonly string[]> {
    if (!canBeId(id)) throw noIssue(id);
    const rows = await this.#bd.rows(this.#call('comments', { about: id }), commentShape);
    // No rows may also mean no issue, and an id may have stood for another.
    if (rows.length === 0 && (await this.show(id)) === undefined) throw noIssue(id);
    if (rows.some(({ issue_id: issue }) => issue !== '' && issue !== id)) throw noIssue(id);
    return rows.map(({ text }) => text);
  }

  async comment(id: string, text: string): Promise<void> {
    await this.#bd.act(this.#call('comment', { about: id, flags: ['--stdin'], input: text }));
  }

  /** Makes a child. It would inherit the claim of its ticket, if it were not told otherwise. */
  async create(child: { readonly title: string; readonly parent: string; readonly labels: readonly string[]; readonly description: string }): Promise<string> {
    const { title, parent, labels, description } = child;
    const call = this.#call('create', { about: title, ticket: parent, flags: ['--type', 'task', '--parent', parent, '--no-inherit-labels', '--labels', labels.join(','), '--stdin'], input: description });
    const subject = subjectOf(call);
    const [made] = readRows(await this.#describe(call, description), createdShape, subject);
    if (made === undefined) throw malformed(subject);
    return made.id;
  }

  async update(id: string, { status, assignee, description, addLabels = [], clearDeferral = false }: IssueChange): Promise<void> {
    const flags = [
      ...(status === undefined ? [] : ['--status', status]),
      ...(assignee === undefined ? [] : ['--assignee', assignee]),
      ...addLabels.flatMap((label) => ['--add-label', label]),
      ...(description === undefined ? [] : ['--description=-']),
      ...(clearDeferral ? ['--defer', ''] : []),
    ];
    if (flags.length === 0) return;
    const call = this.#call('update', { about: id, flags, ...(description === undefined ? {} : { input: description }) });
    if (description === undefined) await this.#bd.act(call);
    else await this.#describe(call, description);
  }

  async close(id: string, reason: string): Promise<void> {
    await this.#bd.act(this.#call('close', { about: id, flags: ['--reason', reason] }));
  }

  async reopen(id: string, reason: string): Promise<void> {
    await this.#bd.act(this.#call('reopen', { about: id, flags: ['--reason', reason] }));
  }

  /** Newer versions take an empty description only when told that it is meant; older ones do not know that flag. */
  async #describe(call: BdCall, description: string): Promise<string> {
    if (description.trim() !== '') return await this.#bd.act(call);
    const answer: BdAnswer = await this.#bd.ask({ ...call, flags: [...(call.flags ?? []), '--allow-empty-description'] });
    if (answer.ok) return answer.stdout;
    if (answer.failure.cause !== 'unknown-flag') throw bdError(answer.failure, subjectOf(call));
    return await this.#bd.act(call);
  }

  async #list(flags: readonly string[], rest: Pick<BdCall, 'signal' | 'timeoutMs' | 'ticket'>): Promise<readonly Issue[]> {
    return await this.#bd.rows(this.#call('list', { flags, ...rest }), issueShape);
  }

  #call(verb: string, rest: Omit<BdCall, 'verb' | 'workspace' | 'cwd'>): BdCall {
    const { about } = rest;
    if (about !== undefined && about.startsWith('-')) throw new RelayError('task_rejected', `${about} cannot be given to bd: it would be read as a flag.`);
    return { workspace: this.directory, cwd: this.#cwd, verb, ...rest };
  }
}
