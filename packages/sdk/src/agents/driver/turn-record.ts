import type { ProcessOutcome } from '../../process/port.js';
import type { AgentEvent } from '../../run/events.js';
import type { AgentTurn, AgentUsage } from '../port.js';
import type { JsonRecord } from './record.js';

/** What a CLI's records have said about a turn so far. A reader keeps it up to date; the driver reports what changes in it. */
export interface TurnRecord {
  readonly sessionId?: string;
  /** Totals of this turn alone. */
  readonly usage?: AgentUsage;
  /** The model that answers. */
  readonly model?: string;
  /** The last whole message of the agent. */
  readonly message?: string;
  /** How the CLI says that the turn ended. Absent again when it turns out to go on, after a retry of its own for example. */
  readonly result?: CliResult;
  /** What is worth a warning however the turn ends, such as another model than the one that was asked for. */
  readonly warnings?: AgentTurn['warnings'];
  /** It is about to do what was not asked of it, in another directory or with another model: it is stopped at once. `result` says why. */
  readonly stop?: true;
}

export type CliResult = { readonly ok: true; readonly message: string } | ({ readonly ok: false } & CliFailure);

/** A refusal in the CLI's own words, with whatever it states about the reason. */
export interface CliFailure {
  /** What it said. May be blank; the driver finds something to quote then. */
  readonly text: string;
  /** The HTTP status of the provider's answer. */
  readonly status?: number;
  /** The reason, where the CLI names it in a form of its own. Absent: it is told from the status, then from the text. */
  readonly kind?: FailureKind;
  /** When a limit resets, milliseconds since the epoch, where the CLI states it in a form of its own. Absent: it is read from the text. */
  readonly resetsAt?: number;
}

export type FailureKind =
  /** Nobody is signed in, or the credentials are refused. */
  | 'unauthenticated'
  /** A limit of use or of rate is reached, or the credit is used up. */
  | 'usage_limited'
  /** The provider does not answer as it should. */
  | 'outage'
  /** The connection to the provider was lost. */
  | 'lost'
  /** The CLI was told to end by somebody else, and hides it behind an exit status. */
  | 'ended'
  /** Nobody has such a model. */
  | 'model_unknown'
  /** The model exists, and this account may not use it. */
  | 'model_unavailable'
  /** The session to continue does not exist, or not here. */
  | 'session_unknown'
  | 'outdated'
  | 'other';

/** What a line of a log is worth. */
export interface LogLine {
  /** Whether failures quote it. */
  readonly quoted: boolean;
  /** What it shows of the turn that no record does, such as a refusal after which the CLI waits. Default: nothing. */
  readonly events?: readonly AgentEvent[];
}

/** Reads what one CLI writes in one turn. */
export interface TurnReader {
  readonly turn: TurnRecord;
  /** Takes the next record and answers with what it shows of the agent's work: messages, tools, file changes. */
  read(record: JsonRecord): readonly AgentEvent[];
  /** Whether a record tells nothing about how the turn went, so that failures do not quote it: lists of tools, pieces of messages. Absent: all are quoted. */
  isNoise?(record: JsonRecord): boolean;
  /** Takes the next line of standard error, for a CLI whose log tells what its records do not. Such lines are no events by themselves then. */
  readLog?(line: string): LogLine;
  /** Called once before the process is started, with what to call when `turn` has changed without a record, until `end`. */
  watch?(changed: () => void): void;
  /** Called once after the process has ended, for a CLI whose records alone do not tell how the turn ended or what it used. Must not reject. */
  end?(process: ProcessOutcome): void | Promise<void>;
}
