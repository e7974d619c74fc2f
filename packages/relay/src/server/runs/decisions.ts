import type { Report } from 'relay-flow-plugin/report';
import { isRelayError, RelayError } from '../../errors/relay-error.js';
import { shellWord } from '../../host/shell-word.js';
import { textOf } from '../../errors/text-of.js';
import type { StoredRun } from '../../store/rows.js';
import type { WorkflowDefinition } from '../../workflow/definition.js';
import { stopRuntimes } from '../activities/runtimes.js';
import { attemptId, markers } from '../ids.js';
import type { Workshop } from '../workshop.js';
import type { RunManager } from './manager.js';
import type { Reports } from './reports.js';
import { sentBack } from './sent-back.js';
import { fault } from '../../faults/fault.js';

const CANCELED_RETRY_MS = 15_000;

/** What people decide about runs: cancel, restart, approve, reject. */
export class Decisions {
  readonly #shop: Workshop;
  readonly #manager: RunManager;
  readonly #reports: Reports;
  readonly #workflow: (name: string) => WorkflowDefinition;
  #closed = false;

  constructor(args: { readonly shop: Workshop; readonly manager: RunManager; readonly reports: Reports; /** The definition that is stored now. Throws `workflow_unknown`, or why it cannot be used. */ readonly workflow: (name: string) => WorkflowDefinition }) {
    this.#shop = args.shop;
    this.#manager = args.manager;
    this.#reports = args.reports;
    this.#workflow = args.workflow;
  }

  /** The latest attempt of a ticket. Throws `run_unknown`, and `run_conflict` when several repositories have a ticket of this key. */
  latest(key: string, repo: string | undefined): StoredRun {
    const runs = this.#shop.store.runs({ ticket: key, ...(repo === undefined ? {} : { repo }) });
    const [first] = runs;
    if (first === undefined) throw this.#noRun(key, repo);
    const repos = [...new Set(runs.map((run) => run.repo))];
    if (repos.length > 1) throw new RelayError('run_conflict', `Tickets of ${repos.toSorted().join(' and ')} are called ${key}.`, { hint: 'Say which one with --repo.' });
    return first;
  }

  #noRun(key: string, repo: string | undefined): RelayError {
    const { repos } = this.#shop;
    // What keeps it from having one, if it is known, of the ticket or of its file.
    const known = repos.all().filter(({ name }) => repo === undefined || name === repo).flatMap(({ name }) => repos.ticketProblems(name)).find(({ where }) => where === key || where === `${key}.md`);
    return new RelayError('run_unknown', `There is no run for ticket ${key}${repo === undefined ? '' : ` in ${repo}`}.${known === undefined ? '' : ` ${known.text}`}`, { hint: known?.hint ?? 'List runs with `relay-flow run list`.' });
  }

  /** Ends a run for good. Nothing that was done is taken back. The first reason wins; a run that ended before stays as it is. */
  async cancel(run: StoredRun, reason: string): Promise<StoredRun> {
    return await this.#manager.locks.hold(run.id, async () => {
      const { store, clock } = this.#shop;
      if (store.beginCancel(run.id, reason, clock.now())) store.log(run.id, { at: clock.now(), node: run.node, visit: run.visit, text: `Canceled: ${reason}` });
      await this.#finishCancel(run.id);
      return this.#run(run.id);
    });
  }

  /** Cancelations that a server did not live to finish. */
  finishCanceling(): void {
    for (const run of this.#shop.store.runs({ states: ['canceling'] })) void this.#manager.locks.hold(run.id, () => this.#finishCancel(run.id)).catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
  }

  async restart(run: StoredRun): Promise<StoredRun> {
    return await this.#manager.locks.hold(run.logical, async () => {
      const latest = this.#shop.store.latestAttempt(run.logical) ?? run;
      if (latest.state === 'completed') throw new RelayError('run_conflict', `The run of ${run.ticket.key} has ended well; there is nothing to restart.`, { hint: 'Make a new ticket for more work.' });
      if (latest.state === 'canceling') throw new RelayError('run_conflict', `The run of ${run.ticket.key} is still being canceled.`, { hint: 'Try again in a moment.' });
      // A restart that is repeated finds what the first one began.
      if (latest.state !== 'canceled' && latest.attempt > 1) return latest;
      if (latest.state !== 'canceled') throw new RelayError('run_conflict', `The run of ${run.ticket.key} has not ended; only a canceled one can begin again.`, { hint: `Cancel it first with \`relay-flow run cancel --ticket ${shellWord(run.ticket.key)}\`.` });
      const workflow = this.#workflow(run.workflow);
      if (!workflow.repos.includes(run.repo)) throw new RelayError('run_conflict', `Workflow ${run.workflow} is not for ${run.repo} any more.`);
      // The first node would bring it back to work, which is for whoever closed it to say.
      const { task } = this.#shop.repos.get(run.repo);
      const ticket = await task.view({ key: run.ticket.key });
      if (ticket?.done === true) throw new RelayError('run_conflict', `The ticket ${run.ticket.key} is closed (${ticket.status}).`, { hint: 'Open it in the task system first; a closed ticket is not opened from here.' });
      const attempt = latest.attempt + 1;
      // Before it begins: whoever has only the ticket must see that the cancelation before it does not stand any more.
      await task.addComment({ key: run.ticket.key, marker: markers.restart(attemptId(run.logical, attempt)), body: `Run restarted: attempt ${attempt}.` });
      fault('restart.commented');
      return await this.#manager.begin({ repo: run.repo, workflow, ticket: run.ticket, attempt });
    });
  }

  /** Takes the report that waits, exactly as it was shown. */
  async approve(run: StoredRun, reportId: string | undefined): Promise<StoredRun> {
    return await this.#manager.locks.hold(run.id, async () => {
      const proposal = this.#proposal(run.id, reportId);
      fault('approve.before');
      const { store, clock } = this.#shop;
      store.together(() => {
        store.log(run.id, { at: clock.now(), node: proposal.node, visit: proposal.visit, text: `The report of ${proposal.node} was approved.` });
        store.updateRun(run.id, { attention: null, at: clock.now() });
      });
      await this.#reports.accept({ runId: run.id, visitId: proposal.visit, reportId: proposal.reportId, report: JSON.parse(proposal.report) as Report });
      return this.#run(run.id);
    });
  }

  /** Sends the agent back to work in the same visit, with a remark. Also starts an agent again that was given up. */
  async reject(run: StoredRun, args: { readonly reason: string | undefined; readonly reportId: string | undefined }): Promise<StoredRun> {
    return await this.#manager.locks.hold(run.id, async () => {
      const { store, clock } = this.#shop;
      const current = this.#run(run.id);
      const given = current.state === 'blocked' && current.retry === null && current.visit !== null && this.#shop.harness.kind === 'headless' && store.proposal(run.id) === undefined;
      const rejected = given ? undefined : this.#proposal(run.id, args.reportId);
      const { node, visit } = rejected ?? current;
      if (visit === null) throw new RelayError('run_conflict', `The run of ${run.ticket.key} is at no node.`);
      const { reason } = args;
      const remark = rejected === undefined ? reason : sentBack({ reason, report: rejected.text, isKnown: store.session(run.id, rejected.node) !== undefined });
      // First of all: what cannot be told must not look as if it were.
      await this.#manager.tell(run.id, visit, { type: 'relaunch', ...(remark === undefined ? {} : { remark }) });
      const what = given ? `${node ?? 'The node'} is started again` : `The report of ${node ?? 'the node'} was rejected`;
      store.together(() => {
        store.log(run.id, { at: clock.now(), node, visit, text: reason === undefined ? `${what}.` : `${what}: ${reason}` });
        if (rejected !== undefined) store.dropProposal(run.id, rejected.reportId);
        store.updateRun(run.id, { ...(given ? { state: 'running' as const } : {}), attention: null, lastError: null, at: clock.now() });
      });
      return this.#run(run.id);
    });
  }

  #proposal(runId: string, reportId: string | undefined) {
    const { store } = this.#shop;
    const run = this.#run(runId);
    const proposal = store.proposal(runId);
    if (proposal === undefined || proposal.visit !== run.visit || store.reportOfVisit(runId, proposal.visit) !== undefined) {
      throw new RelayError('run_conflict', `No report of ${run.ticket.key} waits for a decision.`, { hint: `It is ${run.state}${run.node === null ? '' : ` at ${run.node}`}. Where an agent works in a terminal, decide in its dialog.` });
    }
    if (reportId !== undefined && proposal.reportId !== reportId) throw new RelayError('run_conflict', 'Another report waits by now than the one that was read.', { hint: `Read it with \`relay-flow run get --ticket ${shellWord(run.ticket.key)}\`.`, evidence: { reportId: proposal.reportId } });
    return proposal;
  }

  #run(id: string): StoredRun {
    const run = this.#shop.store.run(id);
    if (run === undefined) throw new RelayError('run_unknown', `There is no run ${id}.`);
    return run;
  }

  async #comment(run: StoredRun): Promise<void> {
    const { repos, log } = this.#shop;
    try {
      await repos.get(run.repo).task.addComment({ key: run.ticket.key, marker: markers.cancellation(run.id), body: `Run canceled: ${run.reason ?? 'no reason was given'}` });
    } catch (error) {
      // A ticket or repository that is gone keeps nothing alive, and nobody will take it for one that is to be walked.
      if (!isRelayError(error) || error.kind !== 'missing') throw error;
      log.info('a cancelation was not told on its ticket, which is gone', { runId: run.id, ticket: run.ticket.key, text: error.text });
    }
  }

  async #finishCancel(runId: string): Promise<void> {
    const { store, clock, repos, log } = this.#shop;
    const run = store.run(runId);
    const workflow = store.definition(runId);
    if (run?.state !== 'canceling' || workflow === undefined) return;
    try {
      fault('cancel.marked');
      await this.#manager.stopInstance(runId);
      const path = repos.known(run.repo)?.path;
      await stopRuntimes(this.#shop, { runId, workflow, workspace: path === undefined ? undefined : { repo: { name: run.repo, path }, ticket: run.ticket.key } });
      fault('cancel.stopped');
      await this.#comment(run);
      fault('cancel.commented');
      store.together(() => {
        store.endOpenSteps(runId, 'canceled', clock.now());
        store.dropProposal(runId);
        store.dropSession(runId);
        store.updateRun(runId, { state: 'canceled', visit: null, finishedAt: clock.now(), lastError: null, at: clock.now() });
      });
    } catch (error) {
      const text = textOf(error);
      log.warn('cancelation is not finished', { runId, text });
      // Before it is shown: where that fails too, the next try must come nevertheless.
      if (!this.#closed) clock.setTimer(CANCELED_RETRY_MS, () => void this.#manager.locks.hold(runId, () => this.#finishCancel(runId)).catch(() => undefined));
      store.updateRun(runId, { lastError: text, at: clock.now() });
    }
  }
}
