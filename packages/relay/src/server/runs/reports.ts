import { readRegisterMessage, readReportMessage, reportProblems, type Report } from 'relay-flow-plugin/report';
import { RelayError } from '../../errors/relay-error.js';
import { isWorkNode, needsPerson } from '../../workflow/definition.js';
import { routesOf } from '../../workflow/routes.js';
import type { Workshop } from '../workshop.js';
import type { RunManager } from './manager.js';
import { fault } from '../../faults/fault.js';

export interface ReportAnswer {
  readonly accepted: boolean;
  readonly duplicate: boolean;
}

const DUPLICATE: ReportAnswer = { accepted: true, duplicate: true };
const ENDED: readonly string[] = ['completed', 'canceling', 'canceled'];

/** Takes reports and sessions from plugins. */
export class Reports {
  readonly #shop: Workshop;
  readonly #manager: RunManager;

  constructor(shop: Workshop, manager: RunManager) {
    this.#shop = shop;
    this.#manager = manager;
  }

  /**
   * A report moves its run, once. In this order: one that was taken before, or that comes too late, is acknowledged whatever it says; then its text is checked
   * (`report_invalid`: the agent must write another); then it is durable; then it is acknowledged.
   */
  async deliver(body: unknown): Promise<ReportAnswer> {
    const read = readReportMessage(body);
    const address = read.ok ? read.message : read.address;
    if (address === undefined) throw new RelayError('request_invalid', read.ok ? '' : read.problems.join(' '));
    return await this.#manager.locks.hold(address.runId, async () => {
      const { store } = this.#shop;
      if (store.hasReport(address.runId, address.reportId)) return DUPLICATE;
      const run = store.run(address.runId);
      if (run === undefined || run.visit === null || ENDED.includes(run.state) || run.node !== address.node) return DUPLICATE;
      const taken = store.reportOfVisit(run.id, run.visit);
      if (taken !== undefined) return DUPLICATE;
      if (!read.ok) throw new RelayError('report_invalid', read.problems.join(' '));
      this.#check(run.id, address.node, read.message.report);
      this.#refuseUndecided(run.id, address.node, read.message.report);
      await this.accept({ runId: run.id, visitId: run.visit, reportId: address.reportId, report: read.message.report });
      return { accepted: true, duplicate: false };
    });
  }

  /** Makes a report durable and known. The caller holds the run's lock. */
  async accept({ runId, visitId, reportId, report }: { readonly runId: string; readonly visitId: string; readonly reportId: string; readonly report: Report }): Promise<void> {
    const { store, clock } = this.#shop;
    fault('report.before');
    await this.#manager.tell(runId, visitId, { type: 'report', reportId, report });
    fault('report.signaled');
    store.together(() => {
      store.noteReport(runId, reportId);
      store.noteReportOfVisit(runId, visitId, reportId);
      store.updateRun(runId, { at: clock.now() });
    });
    fault('report.noted');
  }

  /** A session belongs to the visit that is current when it is first heard of. */
  register(body: unknown): { readonly accepted: boolean } {
    const read = readRegisterMessage(body);
    if (!read.ok) throw new RelayError('request_invalid', read.problems.join(' '));
    const { runId, node, sessionId } = read.message;
    const { store } = this.#shop;
    const run = store.run(runId);
    if (run === undefined || run.visit === null || ENDED.includes(run.state) || run.node !== node) return { accepted: false };
    const visit = run.visit;
    const owner = store.sessionOwner(runId, sessionId);
    if (owner !== undefined && owner.node !== node) return { accepted: false };
    store.together(() => {
      store.setSession(runId, { node, session: sessionId, visit });
      const step = store.lastStep(runId);
      if (step?.visit === visit) store.updateStep(runId, step.sequence, { session: sessionId });
      // It was silent, which a person was told to look at.
      if (run.state === 'waiting' && run.retry === null && run.lastError === null && run.attention !== null && this.#shop.harness.kind === 'terminal') store.updateRun(runId, { attention: null, at: this.#shop.clock.now() });
    });
    return { accepted: true };
  }

  /** A headless agent has no dialog in which a person could have agreed: what it prints is shown to one, and it cannot send it past them. */
  #refuseUndecided(runId: string, name: string, report: Report): void {
    const node = this.#shop.store.definition(runId)?.nodes[name];
    if (this.#shop.harness.kind !== 'headless' || node === undefined || !needsPerson(node, report)) return;
    throw new RelayError('report_invalid', `A report of ${name} goes to a person first: print it as your last words and do not send it.`);
  }

  #check(runId: string, name: string, report: Report): void {
    const node = this.#shop.store.definition(runId)?.nodes[name];
    if (node === undefined || !isWorkNode(node)) return;
    const problems = reportProblems(report, routesOf(node));
    if (problems.length > 0) throw new RelayError('report_invalid', problems.join(' '), { evidence: { problems } });
  }
}
