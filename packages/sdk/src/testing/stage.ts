import { FlowsError } from '../errors/flows-error.js';
import type { ReadAnswer, ReadHumanAnswer } from './answers.js';
import { readHumanAnswer } from './answers.js';
import { outside } from './ears.js';
import type { Life } from './life.js';
import type { Call, HumanCall, Script } from './script.js';
import type { SimulatedCall } from './simulation.js';
import type { SimulatedClock } from './simulated-clock.js';

/** How a call ended, as its step sees it. */
export interface Played {
  readonly ending: 'answered' | 'timeout' | 'canceled';
  readonly answer: ReadAnswer;
}

export interface Play<C extends Call> {
  readonly call: Omit<C, 'start'>;
  readonly read: (answer: unknown) => ReadAnswer;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

type Recorded = { -readonly [K in 'end' | 'ending']?: SimulatedCall[K] } & Call;

const NOTHING: ReadAnswer = { takesMs: 0, ends: { how: 'exit', exitCode: 0 }, stdout: '', stderr: '', artifacts: [], usage: undefined };

/** Where the scripts of a simulation are asked: remembers every call, and lets each last as long as its answer says. */
export class Stage {
  readonly clock: SimulatedClock;
  readonly calls: Recorded[] = [];
  readonly #script: Script;
  readonly #began: number;
  readonly #asked = new Set<string>();
  /** The process that executes the run now. */
  life: Life | undefined;
  /** Questions whose answer will come. */
  #coming = 0;
  #arrived: (() => void) | undefined;
  #problem: FlowsError | undefined;

  constructor(args: { readonly script: Script; readonly clock: SimulatedClock }) {
    this.#script = args.script;
    this.clock = args.clock;
    this.#began = args.clock.now();
  }

  /** Milliseconds since the run began. */
  get now(): number {
    return this.clock.now() - this.#began;
  }

  /** Throws what is wrong with the scripts: it ends the simulation, whatever became of the run. */
  assertFine(): void {
    if (this.#problem !== undefined) throw this.#problem;
  }

  /** Whether somebody will still answer a question. */
  get answerComes(): boolean {
    return this.#coming > 0;
  }

  /** Makes a call: asks its script, and resolves when it has ended in simulated time. */
  async play<C extends Exclude<Call, HumanCall>>(play: Play<C>): Promise<Played> {
    const { signal, timeoutMs } = play;
    const { life } = this;
    const record = this.#record(play.call);
    // Scripts may answer in any order: calls that end at one moment end in the order in which they were made.
    const rank = this.clock.rank();
    const answer = await this.#ask(record, play.read);
    if (answer === undefined) return { ending: 'canceled', answer: NOTHING };
    const inTime = timeoutMs === undefined || answer.takesMs <= timeoutMs;
    return await new Promise<Played>((resolve) => {
      const end = (ending: Played['ending']): void => {
        timer.cancel();
        signal?.removeEventListener('abort', canceled);
        this.#end(record, ending);
        resolve({ ending, answer });
      };
      const canceled = (): void => end('canceled');
      const timer = this.clock.setTimer(inTime ? answer.takesMs : timeoutMs, () => {
        if (inTime && answer.ends.how === 'crash') void life?.crash();
        else end(inTime ? 'answered' : 'timeout');
      }, rank);
      if (signal?.aborted === true) canceled();
      else signal?.addEventListener('abort', canceled, { once: true });
    });
  }

  /** Puts a question to its person, once. `deliver` brings the answer to the run. */
  question(asked: { readonly id: string; readonly question: string; readonly to: string }, deliver: (answer: ReadHumanAnswer) => Promise<void>): void {
    if (this.#asked.has(asked.id)) return;
    this.#asked.add(asked.id);
    const record = this.#record<HumanCall>({ kind: 'human', ...asked, attempt: 1 });
    const rank = this.clock.rank();
    this.#coming += 1;
    void this.#ask(record, readHumanAnswer).then((answer) => {
      if (answer === undefined) {
        this.#coming -= 1;
        this.#arrived?.();
        return;
      }
      this.clock.setTimer(answer.takesMs, () => {
        this.#end(record, 'answered');
        void this.clock.during(deliver(answer)).finally(() => {
          this.#coming -= 1;
          this.#arrived?.();
        });
      }, rank);
    });
  }

  /** Resolves when the next answer of a person has been recorded, or turns out not to come. */
  async nextAnswer(): Promise<void> {
    if (this.answerComes) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }

  /** The process that executed the run is gone, and so is what it was waiting for. */
  lost(): void {
    for (const record of this.calls) if (record.ending === undefined && record.kind !== 'human') this.#end(record, 'crash');
  }

  /** The scripts cannot go on. The first problem is what the simulation ends with. */
  fail(problem: FlowsError): void {
    this.#problem ??= problem;
    this.life?.end();
  }

  #record<C extends Call>(call: Omit<C, 'start'>): Recorded & C {
    const record = { ...call, start: this.now } as unknown as Recorded & C;
    this.calls.push(record);
    return record;
  }

  #end(record: Recorded, ending: NonNullable<Recorded['ending']>): void {
    if (record.ending !== undefined) return;
    record.end = this.now;
    record.ending = ending;
  }

  /** No time passes until the script has answered. `undefined`: it cannot answer, and the simulation ends. */
  async #ask<C extends Recorded, A>(record: C, read: (answer: unknown) => A): Promise<A | undefined> {
    const script = this.#script[record.kind] as ((call: C) => unknown) | undefined;
    if (script === undefined) {
      this.fail(problemOf(record, `has no script`, `Pass ${record.kind}: (call) => … to simulate().`));
      return undefined;
    }
    let answer: unknown;
    try {
      answer = await this.clock.during(Promise.resolve(outside(() => script(Object.freeze({ ...record }) as unknown as C))));
    } catch (error) {
      this.fail(problemOf(record, `failed in its script: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`, 'Mend the script that was passed to simulate().', error));
      return undefined;
    }
    try {
      return read(answer);
    } catch (error) {
      this.fail(problemOf(record, `was given an answer that cannot be: ${(error as Error).message}`, `Mend what ${record.kind}() returns for this call.`));
      return undefined;
    }
  }
}

function problemOf(call: Call, what: string, hint: string, cause?: unknown): FlowsError {
  return new FlowsError('simulation_invalid', `${nameOf(call)} ${what.replace(/\.$/, '')}.`, { hint, stepId: call.id, ...(cause === undefined ? {} : { cause }) });
}

function nameOf(call: Call): string {
  const repeated = call.attempt === 1 ? '' : `, attempt ${call.attempt},`;
  switch (call.kind) {
    case 'run':
      return `The command of ${call.id}${repeated} (${oneLine(call.command)})`;
    case 'agent':
      return `The agent ${JSON.stringify(call.name)} of ${call.id}${repeated}`;
    case 'llm':
      return `The model call ${call.id}${repeated} (${oneLine(call.prompt)})`;
    case 'human':
      return `The question ${call.id} (${oneLine(call.question)})`;
  }
}

function oneLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
