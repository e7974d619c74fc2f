import type { HostEnvironment } from '../inherited-environment.js';
import type { HeadlessEvent, HeadlessProcess, HeadlessVisit } from '../headless/visit.js';
import type { HeadlessRunner } from '../headless/runner.js';
import type { Harness, HeadlessHarness, Launch, TerminalHarness } from '../port.js';

/** What the agent does in one turn, after it has read its prompt. */
export interface AgentTurnPart {
  /** Printed before the answer, as a program would that tells what it does. */
  readonly noise?: string;
  /** Its answer. */
  readonly says?: string;
  /** It fails after that. */
  readonly fails?: true;
  /** It ignores TERM, starts children inside and outside its group that do too, and does not end. */
  readonly hangs?: true;
}

/** What reached the agent in one turn. */
export interface SeenTurn {
  readonly prompt: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The session it was told to go on with. */
  readonly session?: string;
}

export interface HarnessSetUp {
  readonly harness: Harness;
  /** A repository in which `agent` exists. */
  readonly repo: string;
  readonly agent: string;
  /** The environment of the server, in which the harness finds its program. */
  readonly env: HostEnvironment;
  /** A folder of its own for the home of relay-flow. */
  readonly home: string;
  /** The same harness with other settings added, and with another environment. */
  readonly make: (changes: { readonly config?: Readonly<Record<string, unknown>>; readonly env?: HostEnvironment }) => Harness;
  /** Every file of the repository that is not git's, by path. */
  readonly files: () => Promise<Readonly<Record<string, string>>>;
  /** Headless: has the agent play these turns, then the last one again and again. */
  readonly play?: (turns: readonly AgentTurnPart[]) => Promise<void>;
  readonly seen?: () => Promise<readonly SeenTurn[]>;
  /** The processes of an agent that hangs, once all of them exist. */
  readonly hanging?: () => Promise<readonly number[]>;
  /**
   * A program that reads a {@link HostedVisit} as JSON from standard input, starts it with a `HeadlessRunner` of the same harness, prints the `HeadlessProcess` as a line
   * of JSON as soon as there is one, and stays.
   */
  readonly host?: { readonly file: string; readonly args: readonly string[] };
  readonly tearDown: () => Promise<void>;
}

/** What a host process is told. */
export interface HostedVisit {
  readonly home: string;
  readonly visit: Pick<HeadlessVisit, 'key' | 'runId' | 'visitId' | 'launch' | 'contract' | 'routes'>;
}

export type HarnessNeed = 'headless' | 'terminal' | 'sessions' | 'no sessions' | 'agent names' | 'host';

export interface Stage extends HarnessSetUp {
  readonly headless: () => HeadlessOnStage;
  readonly terminal: () => TerminalHarness;
  readonly launch: (changes?: Partial<Launch>) => Launch;
}

export interface HeadlessOnStage {
  readonly harness: HeadlessHarness;
  readonly runner: HeadlessRunner;
  readonly events: readonly HeadlessEvent[];
  readonly processes: readonly HeadlessProcess[];
  readonly play: (turns: readonly AgentTurnPart[]) => Promise<void>;
  readonly seen: () => Promise<readonly SeenTurn[]>;
  readonly hanging: () => Promise<readonly number[]>;
  readonly visit: (launch?: Partial<Launch>) => HeadlessVisit;
  /** Starts a visit and answers with its last event. */
  readonly bring: (launch?: Partial<Launch>) => Promise<HeadlessEvent>;
}

export interface Scenario {
  readonly name: string;
  readonly needs?: readonly HarnessNeed[];
  readonly play: (stage: Stage) => Promise<void>;
}
