import { FlowsError } from '../../errors/flows-error.js';
import type { Answer, ForgeRequest, Lost, Transport } from './exchange.js';
import { canceled, type Pace } from './pace.js';
import { isLimited, pauseAfter } from './pause.js';

export interface OperationOptions {
  /** What messages call the forge. */
  readonly name: string;
  readonly transport: Transport;
  readonly pace: Pace;
  /** What the forge means by an answer that is no success. */
  readonly refusal: (answer: Answer) => FlowsError;
  /** Takes the token, and whatever looks like one, out of a text. */
  readonly redact: (text: string) => string;
  /** What to do when it cannot be reached. */
  readonly unreachableHint: string;
  readonly signal?: AbortSignal | undefined;
}

/** How long one request may take, in milliseconds. */
const REQUEST_MS = 30_000;

/**
 * One call of the port: its requests share the patience and the signal.
 *
 * `ask` is for what may be done twice, and tries again by itself. `tell` is for what must not: it tries again only when the request was certainly not
 * carried out, and otherwise says `undefined`; {@link once} then looks before it does it again.
 */
export class Operation {
  readonly #options: OperationOptions;
  #waited = 0;
  #attempt = 0;
  /** What came last of a `tell` whose outcome is not known. */
  #last: Answer | Lost = { kind: 'lost', reason: 'it does not answer', reached: true };

  constructor(options: OperationOptions) {
    this.#options = options;
  }

  /** Rejects with the refusal of an answer above 299, unless its status is accepted. */
  async ask(request: ForgeRequest, accept: readonly number[] = []): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#send(request);
      if (!(await this.#pause(outcome, attempt))) return this.#judged(outcome, accept);
    }
  }

  async tell(request: ForgeRequest, accept: readonly number[] = []): Promise<Answer | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#send(request);
      const safe = outcome.kind === 'lost' ? !outcome.reached : isLimited(outcome);
      if (!safe && pauseAfter(outcome, 1, this.#options.pace.now()) !== undefined) {
        this.#last = outcome;
        return undefined;
      }
      if (!(await this.#pause(outcome, attempt))) return this.#judged(outcome, accept);
    }
  }

  /**
   * For what must not happen twice: looks whether it is done, does it, and looks again when it is not known what came of that. `act` gives `undefined` then.
   */
  async once<T>(look: () => Promise<T | undefined>, act: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const done = (await look()) ?? (await act());
      if (done !== undefined) return done;
      this.#attempt += 1;
      if (!(await this.#pause(this.#last, this.#attempt))) this.#judged(this.#last, []);
    }
  }

  /** Leaves the outcome of an act open, so that `once` looks again, and refuses with this answer when that does not help. */
  unclear(answer: Answer): undefined {
    if (this.#attempt > 3) throw this.#options.refusal(answer);
    this.#last = { kind: 'lost', reason: 'it contradicts itself', reached: true };
  }

  async #send(request: ForgeRequest): Promise<Answer | Lost> {
    const { signal, transport } = this.#options;
    if (isAborted(signal)) throw canceled();
    const limit = AbortSignal.timeout(REQUEST_MS);
    const outcome = await transport(request, signal === undefined ? limit : AbortSignal.any([signal, limit]));
    if (isAborted(signal)) throw canceled();
    return outcome.kind === 'lost' && limit.aborted ? { kind: 'lost', reason: `it did not answer within ${REQUEST_MS / 1_000} seconds`, reached: true } : outcome;
  }

  /** Waits before the next try; false when there is none. */
  async #pause(outcome: Answer | Lost, attempt: number): Promise<boolean> {
    const { pace, signal, name } = this.#options;
    const pause = pauseAfter(outcome, attempt, pace.now());
    if (pause === undefined) return false;
    if (this.#waited + pause.ms > pace.patienceMs) {
      if (pause.because !== 'limit') return false;
      const until = new Date(pace.now() + pause.ms).toISOString();
      throw new FlowsError('forge_limited', `${name} takes no more requests of this user before ${until}.`, { hint: 'Wait until then and repeat it.', evidence: { resetsAt: until } });
    }
    this.#waited += pause.ms;
    await pace.wait(pause.ms, signal);
    return true;
  }

  #judged(outcome: Answer | Lost, accept: readonly number[]): Answer {
    const { name, refusal, redact, unreachableHint } = this.#options;
    if (outcome.kind === 'lost') {
      throw new FlowsError('forge_unreachable', redact(`${name} cannot be reached: ${outcome.reason}.`), { hint: outcome.hint ?? unreachableHint });
    }
    if (outcome.status >= 500) {
      throw new FlowsError('forge_unreachable', `${name} is failing: it answers with status ${outcome.status}.`, { hint: 'Repeat it later.', evidence: { status: outcome.status } });
    }
    if (outcome.status < 300 || accept.includes(outcome.status)) return outcome;
    throw refusal(outcome);
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
