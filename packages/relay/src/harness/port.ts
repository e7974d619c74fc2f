/**
 * The harness port: which coding agent works at a node, and how it is started, resumed and understood.
 *
 * `terminal` harnesses run in a terminal of the runner, and a plugin inside them delivers the report. `headless` ones are processes of the server, which reads the
 * report from their output.
 */
export type Harness = TerminalHarness | HeadlessHarness;

interface HarnessBase {
  /** As in config.yaml: `command`, `claude`, `opencode`, `pi`. */
  readonly name: string;
  /** The prompt templates, with what config.yaml says. */
  readonly templates: PromptTemplates;
  /** Only whether it can be started: nothing is launched. Throws `harness_missing`, `harness_rejected`. */
  probe(args: { readonly signal: AbortSignal }): Promise<void>;
  /** What a repository needs, such as an entry in a configuration file. Idempotent; keeps what is not ours. */
  setupRepo(args: { readonly path: string }): Promise<void>;
  /** Whether an agent of this name exists for this repository. Throws `harness_rejected`. */
  validateAgent(args: { readonly path: string; readonly agent: string }): Promise<void>;
}

export interface TerminalHarness extends HarnessBase {
  readonly kind: 'terminal';
  /** The command that begins a session, or goes on with `sessionId`. It carries the prompt, which `fitsCommandLine`. */
  buildCommand(launch: Launch): TerminalLaunch;
}

export interface TerminalLaunch {
  readonly file: string;
  readonly args: readonly string[];
  /** Only what the harness adds to `Launch.env`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface HeadlessHarness extends HarnessBase {
  readonly kind: 'headless';
  readonly limits: HeadlessLimits;
  /** The command of one turn. */
  buildTurn(launch: Launch): HeadlessTurn;
}

/** What `createHeadlessRunner` is given of a harness's settings. */
export interface HeadlessLimits {
  /** How many processes may work at once. Default 4. */
  readonly maxProcesses: number;
  /** The limit of one turn; 0: none. Default 120. */
  readonly timeoutMinutes: number;
}

export interface HeadlessTurn {
  readonly file: string;
  readonly args: readonly string[];
  /** Only what the harness adds; `Launch.env` wins over it. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Reads the output of the turn, line by line; `end` says what came of it. */
  readonly reader: TurnReader;
}

export interface TurnReader {
  line(line: string): void;
  /** The session, as soon as the output has named it: a server that dies in the middle of a turn can go on with it then. */
  session?(): string | undefined;
  /** Whether the turn has had its result. Its process may go on for 30 seconds more, and is stopped then; the result stands. Absent: only its end is one. */
  done?(): boolean;
  end(exit: { readonly exitCode?: number; readonly signal?: string }): TurnEnd;
}

export interface TurnEnd {
  /** In which the report is looked for; absent when the turn has none to give (it failed). */
  readonly text?: string;
  /** To go on with later. */
  readonly sessionId?: string;
  /** A sentence on why the turn gave nothing. */
  readonly failure?: string;
  /** Milliseconds since the epoch before which another turn is pointless (a usage limit). */
  readonly notBefore?: number;
  /** With `failure`: the session to go on with does not exist, so a fresh one is begun. */
  readonly sessionLost?: boolean;
}

export interface Launch {
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** `<ticket>:<node>` */
  readonly title: string;
  readonly agent: string;
  readonly nodeType: 'agent' | 'hitl';
  readonly prompt: string;
  /** Why it is started: `initial` a fresh session, `feedback` another visit, `correction` the same visit again. */
  readonly purpose: 'initial' | 'feedback' | 'correction';
  /** The session to go on with. */
  readonly sessionId?: string;
  /** `RELAY_FLOW_*` and the task system's variables. */
  readonly env: Readonly<Record<string, string>>;
}

export interface PromptTemplates {
  readonly initial: string;
  readonly feedback: string;
  /** Appended for `hitl` nodes; empty: nothing. */
  readonly hitl: string;
}
