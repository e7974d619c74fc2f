import type { ProcessOutcome } from '../../process/port.js';
import { causeLine, endedBy, outcomeEvidence } from '../outcome-evidence.js';
import type { AgentFailure, AgentOutcome, AgentTurn } from '../port.js';
import { failureKind } from './failure-kind.js';
import { resetTime } from './reset-time.js';
import type { CliFailure, TurnRecord } from './turn-record.js';
import type { CliWords } from './words.js';

export interface Facts {
  readonly words: CliWords;
  readonly executable: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly turn: TurnRecord;
  readonly process: ProcessOutcome;
  /** What it wrote on its standard output, redacted and bounded: everything, and what is no record. */
  readonly said: { readonly all: string; readonly plain: string };
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The statuses of a program that catches HUP, INT, QUIT, ABRT, KILL, SEGV or TERM of its child or of itself and ends then. */
const SIGNAL_STATUS: ReadonlySet<number> = new Set([129, 130, 131, 134, 137, 139, 143]);

type Verdict = Pick<AgentTurn, 'outcome' | 'warnings'>;

/**
 * How a turn ended. The CLI's own record decides; the process only where there is none. Pure.
 *
 *  1. Not started: what the system says.
 *  2. A result that it stated stands, whatever happens to the process afterwards. A success without a word of the agent is none.
 *  3. Stopped by us: canceled, or timed out.
 *  4. Ended without a result: lost when a signal ended it, else a failure. Never a success, whatever its exit status. What the agent itself said is no
 *     sign of the reason: it may have talked about limits, keys or connections.
 */
export function verdict(facts: Facts): Verdict {
  const { process, turn, words } = facts;
  if (process.spawnError !== undefined) return { outcome: notStarted(facts, process.spawnError), warnings: [] };
  const message = turn.result?.ok === true ? lastWords(turn.result.message, turn.message) : undefined;
  if (message !== undefined) return { outcome: { class: 'success', message }, warnings: lateExit(facts) };
  if (process.stopped === 'canceled' || process.stopped === 'host_exit') return { outcome: { class: 'canceled' }, warnings: [] };
  if (turn.result?.ok === false) return { outcome: refused(facts, turn.result), warnings: [] };
  if (turn.result !== undefined) return { outcome: silent(facts), warnings: [] };
  if (process.stopped === 'timeout') return { outcome: { class: 'timeout', ...(turn.message === undefined ? {} : { message: turn.message }) }, warnings: [] };

  const text = `${words.cli} ${ending(facts)}`;
  const noted = failureKind({ text: `${process.stderr.text}\n${facts.said.plain}` });
  const isKilled = process.exitCode === undefined || SIGNAL_STATUS.has(process.exitCode);
  if (!isKilled && noted !== 'other' && noted !== 'lost') {
    return { outcome: refused(facts, { kind: noted, text: ending(facts) }), warnings: [] };
  }
  const why = 'It stated no result, so what it did is unknown.';
  if (isKilled || process.inputError !== undefined || noted === 'lost') return { outcome: { class: 'lost', ...failure(facts, `${sentence(text)} ${why}`) }, warnings: [] };
  return { outcome: { class: 'failed', code: 'worker_error', ...failure(facts, `${sentence(text)} ${why}`, `Run it by hand to see what it does: ${words.cli}`) }, warnings: [] };
}

/** What a success hands on: its message, or the last thing said before when that is blank. */
function lastWords(message: string, before: string | undefined): string | undefined {
  return [message, before].find((words) => words !== undefined && words.trim() !== '');
}

function silent(facts: Facts): AgentOutcome {
  const text = `${facts.words.cli} says that it is done, and its agent has not said a word.`;
  return { class: 'failed', code: 'worker_error', ...failure(facts, text, 'Ask for an answer in the task. The transcript of the step shows what it did.') };
}

/** How the process ended and why, never blank. */
function ending(facts: Facts): string {
  const { process, said } = facts;
  const cause = causeLine(process.stderr.text) ?? causeLine(said.plain);
  if (cause !== undefined) return facts.redact(`${endedBy(process)}: ${cause}`);
  return said.all === '' ? `${endedBy(process)} and printed nothing` : endedBy(process);
}

function lateExit(facts: Facts): Verdict['warnings'] {
  const { process, words } = facts;
  if (process.stopped === 'outcome_known') return [{ code: 'late_exit', text: `${words.cli} did not exit after it had given its result, and was stopped. The result stands.` }];
  if (process.stopped !== undefined || process.exitCode === 0) return [];
  return [{ code: 'late_exit', text: `${words.cli} gave its result and then ${sentence(ending(facts))} The result stands.` }];
}

function notStarted(facts: Facts, error: NonNullable<ProcessOutcome['spawnError']>): AgentOutcome {
  const text = `${facts.executable} could not be started: ${error.code}, ${error.message}.`;
  if (error.missing === 'program') return { class: 'failed', code: 'cli_missing', ...failure(facts, text, `Install it: ${facts.words.install}`) };
  if (error.transient) return { class: 'lost', ...failure(facts, text) };
  return { class: 'failed', code: 'worker_error', ...failure(facts, text) };
}

function refused(facts: Facts, stated: CliFailure): AgentOutcome {
  const kind = failureKind(stated);
  const said = sentence(facts.redact(stated.text.trim() === '' ? ending(facts) : stated.text));
  const status = stated.status === undefined ? '' : ` (HTTP ${stated.status})`;
  const { words } = facts;
  const make = (what: string, hint: string): AgentFailure => failure(facts, `${words.cli} ${what}${status}: ${said}`, hint);
  switch (kind) {
    case 'unauthenticated':
      return { class: 'failed', code: 'cli_unauthenticated', ...make('is not signed in, or its credentials were refused', `To sign in, ${words.signIn}. Then resume the run.`) };
    case 'usage_limited': {
      const resetsAt = stated.resetsAt ?? resetTime(stated.text, facts.now);
      const when = resetsAt === undefined ? 'Wait until the limit resets' : `Wait until ${new Date(resetsAt).toISOString()}`;
      return { class: 'failed', code: 'provider_usage_limited', ...(resetsAt === undefined ? {} : { resetsAt }), ...make('has reached a limit of its provider', `${when}, or use another model, then resume the run. It is not retried by itself.`) };
    }
    case 'outage':
      return { class: 'failed', code: 'provider_unavailable', ...make('could not use its provider', 'Look at the status page of the provider, and resume the run when it works again.') };
    case 'model_unknown':
      return { class: 'failed', code: 'model_unknown', ...make('does not know the model', `Name another model. To see the models, ${words.models}.`) };
    case 'model_unavailable':
      return { class: 'failed', code: 'model_unavailable', ...make('may not use the model', `Name another model, or get access to this one. To see the models, ${words.models}.`) };
    case 'session_unknown':
      return { class: 'failed', code: 'worker_error', sessionUnknown: true, ...make('cannot continue the session', 'Leave resume out, or pass the sessionId of a session that this CLI still has, begun in the same directory where it asks for that.') };
    case 'outdated':
      return { class: 'failed', code: 'cli_outdated', ...make('is too old', `Bring it up to date: ${words.update}`) };
    case 'lost':
      return { class: 'lost', ...make('lost the connection to its provider', 'Check the network, then resume the run.') };
    case 'ended':
      return { class: 'lost', ...make('ended in the middle of its turn', 'Resume the run to let it go on.') };
    case 'other':
      return { class: 'failed', code: 'worker_error', ...make('reports an error', 'The transcript of the step shows what it did.') };
  }
}

function failure(facts: Facts, text: string, hint?: string): AgentFailure {
  const { process, said } = facts;
  const evidence = outcomeEvidence(facts, facts.args, { ...process, stdout: { ...process.stdout, text: said.all } });
  return { text, ...(hint === undefined ? {} : { hint }), evidence };
}

/** What a refusal may quote, in characters. */
const QUOTED = 1_000;

function sentence(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  const cut = line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}
