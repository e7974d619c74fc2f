import type { Wait } from '../journal/port.js';
import type { JsonValue } from '../ports/json.js';
import type { Redactor } from '../ports/redactor.js';
import type { Timer } from '../ports/clock.js';
import type { Ledger } from './ledger.js';
import type { LiveStep } from './live-step.js';
import { messageOf } from './mailbox-names.js';
import type { SessionFacts } from './services.js';

interface Open {
  readonly step: LiveStep;
  readonly signal?: string;
  readonly dueAt?: number;
  timer?: Timer;
}

export interface WaitKeeperOptions {
  readonly facts: SessionFacts;
  readonly ledger: Ledger;
  /** The wait is over. */
  readonly onOver: (step: LiveStep, value: JsonValue | undefined) => void;
}

/** The open waits of a run: questions, sleeps and messages. Owns their durable beginning and their timers. */
export class WaitKeeper {
  readonly #options: WaitKeeperOptions;
  readonly #open = new Map<number, Open>();
  #closed = false;
  #missed = false;

  constructor(options: WaitKeeperOptions) {
    this.#options = options;
  }

  /** When the earliest open sleep is over. */
  get wakeAt(): number | undefined {
    let earliest: number | undefined;
    for (const { dueAt } of this.#open.values()) if (dueAt !== undefined && (earliest === undefined || dueAt < earliest)) earliest = dueAt;
    return earliest;
  }

  /** Whether a message was taken for a wait after the waits were closed. It is taken again by the next session. */
  get missed(): boolean {
    return this.#missed;
  }

  /** Whether a step waits for a message, such as a person's answer. */
  get awaitsMessage(): boolean {
    return [...this.#open.values()].some(({ signal }) => signal !== undefined);
  }

  /** Begins to wait, or goes on with a wait that history began. Resolves once its beginning is durable. */
  async open(step: LiveStep): Promise<void> {
    if (step.spec.action.mode !== 'wait') return;
    const { facts, ledger } = this.#options;
    const { clock, writer } = facts.services;
    const begun = ledger.row(step.seq)?.wait;
    const now = clock.now();
    const wait = begun ?? redacted(step.spec.action.wait(now), facts.services.redact);
    if (begun === undefined) {
      const started = {
        runId: facts.claim.runId, epoch: facts.claim.epoch, seq: step.seq, stepId: step.id, kind: step.spec.kind, fingerprint: step.fingerprint, attempt: 1, at: now, wait,
        ...(step.label === undefined ? {} : { label: step.label }),
        ...(step.request === undefined ? {} : { request: step.request }),
      };
      await writer.started(started, { durable: true });
      ledger.noteStarted(started);
    }
    // The run, or the body of the step, has come to rest meanwhile.
    if (this.#closed || step.state !== 'waiting') return;
    const signal = messageOf(step.id, wait);
    const open: Open = { step, ...(signal === undefined ? {} : { signal }), ...(wait.dueAt === undefined ? {} : { dueAt: wait.dueAt }) };
    this.#open.set(step.seq, open);
    if (signal !== undefined) await this.#take(open, signal);
    // Answered while nobody executed the run: there is nothing to ask any more.
    if (!this.#open.has(step.seq)) return;
    facts.emit({
      type: 'wait.opened', stepId: step.id, wait: wait.type,
      ...(wait.question === undefined ? {} : { question: wait.question }), ...(wait.to === undefined ? {} : { to: wait.to }), ...(wait.dueAt === undefined ? {} : { dueAt: wait.dueAt }),
    });
    if (wait.dueAt !== undefined) open.timer = clock.setTimer(wait.dueAt - now, () => this.#over(open, undefined));
  }

  /** Looks into the mailbox for every wait that a message ends. */
  async check(): Promise<void> {
    for (const open of this.#open.values()) if (open.signal !== undefined) await this.#take(open, open.signal);
  }

  /** Forgets a wait whose body has ended. */
  forget(step: LiveStep): void {
    this.#open.get(step.seq)?.timer?.cancel();
    this.#open.delete(step.seq);
  }

  /** Forgets all waits without ending them. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#open.values()) timer?.cancel();
    this.#open.clear();
  }

  async #take(open: Open, name: string): Promise<void> {
    const { claim, services } = this.#options.facts;
    const signal = await services.journal.takeSignal({ runId: claim.runId, epoch: claim.epoch, name, seq: open.step.seq });
    if (signal === undefined) return;
    if (this.#closed) this.#missed = true;
    this.#over(open, signal.payload);
  }

  #over(open: Open, value: JsonValue | undefined): void {
    if (!this.#open.delete(open.step.seq)) return;
    open.timer?.cancel();
    this.#options.onOver(open.step, value);
  }
}

/** The name of a message is an identifier: changed, it would never be found, or found by the wrong step. */
function redacted(wait: Wait, redact: Redactor): Wait {
  const kept = redact.json(wait as unknown as JsonValue) as unknown as Wait;
  return wait.signal === undefined ? kept : { ...kept, signal: wait.signal };
}
