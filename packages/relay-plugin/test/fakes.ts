import type { Clock } from '../src/delivery/backoff.js';
import type { Answer, RunCommand } from '../src/delivery/command.js';
import type { HostParts } from '../src/delivery/host-relay.js';
import type { Log } from '../src/delivery/log.js';
import type { Notes } from '../src/delivery/notes.js';
import { createRelay } from '../src/delivery/relay.js';
import { nodeEnvironment, type NodeEnvironment } from '../src/environment.js';
import { reportContract } from '../src/report/index.js';

export const CONTRACT = reportContract({ success: [{ target: 'review' }, { target: 'end' }], failure: [{ target: 'fix' }] });

export const VARIABLES: Readonly<Record<string, string>> = {
  RELAY_FLOW_HOME: '/var/relay',
  RELAY_FLOW_RUN_ID: 'shop/fix/SHOP-1',
  RELAY_FLOW_WORKFLOW: 'fix',
  RELAY_FLOW_REPO: 'shop',
  RELAY_FLOW_TICKET: 'SHOP-1',
  RELAY_FLOW_NODE: 'build',
  RELAY_FLOW_NODE_TYPE: 'agent',
  RELAY_FLOW_NUDGE_PROMPT: 'THE NUDGE OF THE NODE',
  RELAY_FLOW_NEXT_STEPS_JSON: '[{"target":"review","when":"it is done"},{"target":"end"},{"target":"fix"}]',
  RELAY_FLOW_REPORT_FORMAT: CONTRACT,
};

export function nodeOf(variables: Readonly<Record<string, string>> = {}): NodeEnvironment {
  const node = nodeEnvironment({ ...VARIABLES, ...variables });
  if (node === undefined) throw new Error('These variables are not those of a node.');
  return node;
}

export const HITL = { RELAY_FLOW_NODE_TYPE: 'hitl' };

/** Waits until what was started has run as far as it can without time passing. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Time that passes when it is told to. */
export class FakeClock implements Clock {
  readonly waits: number[] = [];
  #now = 0;
  #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  readonly now = (): number => this.#now;
  readonly sleep = (milliseconds: number): Promise<void> => new Promise((wake) => {
    this.waits.push(milliseconds);
    this.#sleepers.push({ until: this.#now + milliseconds, wake });
  });

  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const due = this.#sleepers.filter(({ until }) => until <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#now);
    for (const { wake } of due) wake();
    await settle();
  }
}

/** A `relay-flow` that answers what the test says, when the test says so. */
export class FakeCommand {
  readonly calls: { readonly verb: string; readonly bytes: string; readonly answer: (answer: Answer) => void }[] = [];
  /** Answers at once while it is set. */
  auto: Answer | undefined;

  readonly run: RunCommand = (verb, bytes) => new Promise((answer) => {
    this.calls.push({ verb, bytes, answer });
    if (this.auto !== undefined) answer(this.auto);
  });

  of(verb: string): readonly string[] {
    return this.calls.filter((call) => call.verb === verb).map(({ bytes }) => bytes);
  }

  async answer(answer: Answer): Promise<void> {
    this.calls.at(-1)?.answer(answer);
    await settle();
  }
}

export const ACCEPTED: Answer = { ok: true, answer: { accepted: true, duplicate: false } };
export const UNREACHABLE: Answer = { ok: false, code: 'unreachable', message: 'The server is not running.' };
export const INVALID: Answer = { ok: false, code: 'invalidReport', message: 'NEXT STEP "fix" cannot be chosen. With STATUS success it must be exactly one of: end, review.' };

export interface FakeHost extends HostParts {
  readonly command: FakeCommand;
  readonly clock: FakeClock;
  readonly logged: string[];
  /** The ids of reports that were noted, how they were answered, and corrections, in order. */
  readonly noted: string[];
}

export function fakeHost(variables: Readonly<Record<string, string>> = {}, answer: Answer | 'by hand' = ACCEPTED): FakeHost {
  const node = nodeOf(variables);
  const command = new FakeCommand();
  if (answer !== 'by hand') command.auto = answer;
  const clock = new FakeClock();
  const logged: string[] = [];
  const log: Log = (event, details) => logged.push(JSON.stringify({ event, ...details }));
  const noted: string[] = [];
  const note = async (word: string): Promise<void> => void noted.push(word);
  const notes: Notes = { underWay: (bytes) => note((JSON.parse(bytes) as { reportId: string }).reportId), answered: note, corrected: () => note('corrected') };
  return { node, command, clock, logged, log, noted, notes, relay: createRelay(node, { run: command.run, clock, random: () => 0.5, log, notes }) };
}

/** The ids of the reports that reached the command. */
export function delivered(host: FakeHost): readonly string[] {
  return host.command.of('report').map((bytes) => (JSON.parse(bytes) as { reportId: string }).reportId);
}
