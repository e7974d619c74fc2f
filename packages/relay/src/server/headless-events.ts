import { shellWord } from '../host/shell-word.js';
import type { Report } from 'relay-flow-plugin/report';
import { textOf } from '../errors/text-of.js';
import type { HeadlessEvent } from '../harness/headless/visit.js';
import { needsPerson } from '../workflow/definition.js';
import type { VisitMessage } from '../workflow/interpreter/input.js';
import type { Workshop } from './workshop.js';

export interface VisitRef {
  readonly runId: string;
  readonly node: string;
  readonly visitId: string;
  readonly sequence: number;
}

/** Brings what headless agents do to the run: a report moves it, or waits for a person at a `hitl` node. */
export class HeadlessEvents {
  readonly #shop: Workshop;
  readonly #tell: (runId: string, visitId: string, message: VisitMessage) => Promise<void>;

  constructor(shop: Workshop, tell: (runId: string, visitId: string, message: VisitMessage) => Promise<void>) {
    this.#shop = shop;
    this.#tell = tell;
  }

  async handle(visit: VisitRef, event: HeadlessEvent): Promise<void> {
    const { store, clock } = this.#shop;
    const { runId, node, visitId, sequence } = visit;
    // A visit that is over has nothing to say.
    if (store.run(runId)?.visit !== visitId) return;
    const log = (text: string): void => store.log(runId, { at: clock.now(), node, visit: visitId, text });
    const show = (update: Parameters<typeof store.updateRun>[1]): void => store.updateRun(runId, update);
    switch (event.type) {
      case 'queued':
        log(`${node} waits for its turn: all places for agents are taken.`);
        return;
      case 'started':
        if (event.turn > 1) log(`${node} was started again (turn ${event.turn}).`);
        show({ lastError: null, retry: null, attention: null, at: clock.now() });
        return;
      case 'session':
        store.together(() => {
          store.setSession(runId, { node, session: event.sessionId, visit: visitId });
          store.updateStep(runId, sequence, { session: event.sessionId });
        });
        return;
      case 'waiting':
        log(`${node} waits: ${event.reason}`);
        show({ lastError: event.reason, retry: { attempt: event.turn, lastError: event.reason, nextRetryAt: event.until }, at: clock.now() });
        return;
      case 'invalid':
        log(`${node} gave no valid report: ${event.problems.join(' ')}`);
        store.countRetry(runId);
        show({ lastError: event.problems.join(' '), at: clock.now() });
        return;
      case 'report':
        if (event.sessionId !== undefined) store.setSession(runId, { node, session: event.sessionId, visit: visitId });
        await this.#report(visit, event);
        return;
      case 'exhausted':
        this.#block(visit, `${node} gave no valid report in ${event.turn} turns: ${event.problems.join(' ')}`, `Read ${event.logPath}, then start it again with \`relay-flow run reject --ticket ${shellWord(store.run(runId)?.ticket.key ?? '')} --reason "…"\`, or cancel the run.`);
        return;
      case 'failed':
        this.#block(visit, textOf(event.error), `Put it right, then start it again with \`relay-flow run reject --ticket ${shellWord(store.run(runId)?.ticket.key ?? '')}\`.`);
    }
  }

  #block({ runId, node, visitId, sequence }: VisitRef, text: string, attention: string): void {
    const { store, clock } = this.#shop;
    store.together(() => {
      store.updateRun(runId, { state: 'blocked', lastError: text, retry: null, attention, at: clock.now() });
      store.updateStep(runId, sequence, { status: 'blocked' });
      store.log(runId, { at: clock.now(), node, visit: visitId, text });
    });
  }

  async #report(visit: VisitRef, { reportId, report, text }: { readonly reportId: string; readonly report: Report; readonly text: string }): Promise<void> {
    const { store, clock } = this.#shop;
    const { runId, node, visitId } = visit;
    const declared = store.definition(runId)?.nodes[node];
    if (declared === undefined || !needsPerson(declared, report)) {
      await this.#tell(runId, visitId, { type: 'report', reportId, report });
      store.noteReportOfVisit(runId, visitId, reportId);
      return;
    }
    const key = shellWord(store.run(runId)?.ticket.key ?? '');
    store.together(() => {
      store.propose(runId, { node, visit: visitId, reportId, report: JSON.stringify(report), text, at: clock.now() });
      store.updateRun(runId, {
        state: 'waiting', lastError: null, retry: null, at: clock.now(),
        attention: `Read the report of ${node} and decide: \`relay-flow run approve --ticket ${key}\` or \`relay-flow run reject --ticket ${key} --reason "…"\`.`,
      });
      store.log(runId, { at: clock.now(), node, visit: visitId, text: `${node} reported ${report.status} and waits for a person.` });
    });
  }
}
